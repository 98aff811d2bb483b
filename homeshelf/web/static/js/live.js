// What others in the family change arrives here, as `homeshelf:change` events on the document.
// One stream a browser: a tab holds the lock and hands on what it hears, because a browser opens
// only six connections to a host.
const family = document.body.dataset.family;
const channel = "BroadcastChannel" in window ? new BroadcastChannel(`homeshelf:${family}`) : null;

/** @param {{type: string, id: string, version: number | null}} change */
function tell(change) {
  document.dispatchEvent(new CustomEvent("homeshelf:change", { detail: change }));
}

function listen() {
  const stream = new EventSource(`/api/v1/events?family=${family}`);
  /** @param {object} change */
  const pass = (change) => {
    tell(/** @type {any} */ (change));
    channel?.postMessage(change);
  };
  stream.onmessage = (event) => pass(JSON.parse(event.data));
  stream.addEventListener("reset", () => pass({ type: "reset", id: "", version: null }));
  return new Promise((done) => addEventListener("pagehide", () => (stream.close(), done(null)), { once: true }));
}

if (family && "EventSource" in window) {
  if (channel) channel.onmessage = (event) => tell(event.data);
  if (channel && navigator.locks) navigator.locks.request(`homeshelf:${family}`, listen);
  else listen();
}
