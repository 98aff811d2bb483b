// What others in the family change arrives here, as `homeshelf:change` events on the document.
// One stream a browser: a tab holds the lock and hands on what it hears, because a browser opens
// only six connections to a host. While nobody sees a page of ours, the stream says so.
import { follow } from "./seen.js";

const MARGIN = 5000;
const { family, since = "" } = document.body.dataset;
const channel = "BroadcastChannel" in window ? new BroadcastChannel(`homeshelf:${family}`) : null;

/** @param {{type: string, id: string, version: number | null}} change */
function tell(change) {
  document.dispatchEvent(new CustomEvent("homeshelf:change", { detail: change }));
}

/** From when the page was made, so that nothing is missed until the stream is open. */
function open(from = since, seen = true) {
  return new EventSource(`/api/v1/events?since=${from}${seen ? "" : "&visible=0"}`);
}

/** A moment ago by the server's clock, as far as a page can know. */
function recently() {
  const made = parseInt(since.replace("-", ""), 16);
  const digits = Math.floor(made + performance.now() - MARGIN).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

function listen() {
  /** @param {object} change */
  const pass = (change) => {
    tell(/** @type {any} */ (change));
    channel?.postMessage(change);
  };
  /** @param {EventSource} opened */
  const hear = (opened) => {
    opened.onmessage = (event) => pass(JSON.parse(event.data));
    opened.addEventListener("reset", () => pass({ type: "reset", id: "", version: null }));
    return opened;
  };
  let stream = hear(open());
  let seen = true;
  const ask = follow((now) => {
    if (now === seen || stream.readyState !== EventSource.OPEN) return;
    const next = hear(open(recently(), now)); // the other one goes on until this one hears
    next.onerror = () => next.close();
    next.onopen = () => {
      stream.close();
      [stream, seen] = [next, now];
      next.onerror = null;
      next.onopen = ask;
      ask();
    };
  });
  stream.onopen = ask;
  return new Promise((done) => addEventListener("pagehide", () => (stream.close(), done(null)), { once: true }));
}

/** A tab beside the one that listens needs only what it missed while it was made. */
function catchUp() {
  const stream = open();
  stream.onmessage = (event) => tell(JSON.parse(event.data));
  setTimeout(() => stream.close(), 1500);
}

if (family && "EventSource" in window) {
  if (channel) channel.onmessage = (event) => tell(event.data);
  if (channel && navigator.locks) {
    const name = `homeshelf:${family}`;
    navigator.locks.query().then(({ held }) => held?.some((lock) => lock.name === name) && catchUp());
    navigator.locks.request(name, listen);
  } else listen();
}
