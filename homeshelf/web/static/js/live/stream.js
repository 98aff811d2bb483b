// One event stream per browser and topic: the tab that holds the lock shares its events, because a browser opens only
// six connections to a host. The stream tells the server when no page is visible.
import { watchVisibility } from "./visibility.js";

const MARGIN = 5000;

/** @typedef {{type: string, id: string, version: number | null}} Change */

/**
 * @param {string} name of the lock and the channel @param {string} path of the stream
 * @param {string} since when the page was rendered, so that no event is missed
 * @param {(change: Change) => void} tell
 * @param {() => void} ended called when the stream is refused
 * @param {(open: boolean) => void} line called when the stream opens or breaks
 */
export function subscribe(name, path, since, tell, ended = () => {}, line = () => {}) {
  if (!("EventSource" in window)) return;
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(name) : null;
  const open = (from = since, seen = true) => new EventSource(`${path}?since=${from}${seen ? "" : "&visible=0"}`);

  /** @param {Change} change */
  const pass = (change) => {
    tell(change);
    channel?.postMessage(change);
  };

  /** @param {boolean} open */
  const passLine = (open) => {
    line(open);
    channel?.postMessage(open);
  };

  const listen = () =>
    new Promise((done) => {
      let seen = true;
      /** @param {EventSource} opened */
      const hear = (opened) => {
        opened.onmessage = (event) => pass(JSON.parse(event.data));
        opened.addEventListener("reset", () => pass({ type: "reset", id: "", version: null }));
        opened.addEventListener("open", () => passLine(true));
        return opened;
      };
      const finish = () => (stream.close(), done(null));
      const refused = () => {
        passLine(false);
        if (stream.readyState !== EventSource.CLOSED) return;
        finish();
        channel?.close();
        ended();
      };
      let stream = hear(open());
      stream.onerror = refused;
      const ask = watchVisibility((now) => {
        if (now === seen || stream.readyState !== EventSource.OPEN) return;
        const next = hear(open(secondsAgo(since), now)); // the old stream stays until this one is open
        next.onerror = () => next.close();
        next.onopen = () => {
          stream.close();
          [stream, seen] = [next, now];
          next.onerror = refused;
          next.onopen = ask;
          ask();
        };
      });
      stream.onopen = ask;
      addEventListener("pagehide", finish, { once: true });
    });

  if (channel) channel.onmessage = ({ data }) => (typeof data === "boolean" ? line(data) : tell(data));
  if (!channel || !navigator.locks) return void listen();
  navigator.locks.query().then(({ held }) => held?.some((lock) => lock.name === name) && catchUp(open(), tell));
  navigator.locks.request(name, listen);
}

/** Return the server's time a few seconds ago, as an event id. @param {string} since */
function secondsAgo(since) {
  const made = parseInt(since.replace("-", ""), 16);
  const digits = Math.floor(made + performance.now() - MARGIN).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/**
 * A second tab needs only the events it missed while loading.
 * @param {EventSource} stream @param {(change: Change) => void} tell
 */
function catchUp(stream, tell) {
  stream.onmessage = (event) => tell(JSON.parse(event.data));
  setTimeout(() => stream.close(), 1500);
}
