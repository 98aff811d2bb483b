// Tells every page of this browser that something of the queue, or of what is kept, is different now.
export const CHANGED = "homeshelf:queue";

const channel = "BroadcastChannel" in self ? new BroadcastChannel(CHANGED) : null;

/** @type {(detail: {family: string}) => void} */
let hear = () => {};

/** @param {string} family */
export function broadcast(family) {
  channel?.postMessage({ family });
  hear({ family });
}

/** @param {typeof hear} listener for what is told here, in other pages and in the service worker */
export function listen(listener) {
  hear = listener;
  if (channel) channel.onmessage = ({ data }) => listener(data);
}
