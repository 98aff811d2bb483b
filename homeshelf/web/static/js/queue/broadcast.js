// Tell all pages of this browser that the queue or a cached value has changed.
export const CHANGED = "homeshelf:queue";

const channel = "BroadcastChannel" in self ? new BroadcastChannel(CHANGED) : null;

/** @type {(detail: {family: string}) => void} */
let hear = () => {};

/** @param {string} family */
export function broadcast(family) {
  channel?.postMessage({ family });
  hear({ family });
}

/** @param {typeof hear} listener for changes in this page, other pages and the service worker */
export function listen(listener) {
  hear = listener;
  if (channel) channel.onmessage = ({ data }) => listener(data);
}
