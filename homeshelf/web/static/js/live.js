// What others in the family change arrives here, as `homeshelf:change` events on the document.
// One stream a browser: a tab holds the lock and hands on what it hears, because a browser opens
// only six connections to a host.
const family = document.body.dataset.family;
const channel = "BroadcastChannel" in window ? new BroadcastChannel(`homeshelf:${family}`) : null;

/** @param {{type: string, id: string, version: number | null}} change */
function tell(change) {
  document.dispatchEvent(new CustomEvent("homeshelf:change", { detail: change }));
}

/** From when the page was made, so that nothing is missed until the stream is open. */
function open() {
  return new EventSource(`/api/v1/events?since=${document.body.dataset.since}`);
}

function listen() {
  const stream = open();
  /** @param {object} change */
  const pass = (change) => {
    tell(/** @type {any} */ (change));
    channel?.postMessage(change);
  };
  stream.onmessage = (event) => pass(JSON.parse(event.data));
  stream.addEventListener("reset", () => pass({ type: "reset", id: "", version: null }));
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
