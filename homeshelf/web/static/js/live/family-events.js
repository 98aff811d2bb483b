// What others in the family change arrives here, as `homeshelf:change` events on the document, and
// `homeshelf:line` says whether anything can arrive.
import { subscribe } from "./stream.js";

const RETRY_AFTER = 10_000;
const { family, since = "" } = document.body.dataset;

/** @param {string} about @param {unknown} detail */
function dispatch(about, detail) {
  document.dispatchEvent(new CustomEvent(`homeshelf:${about}`, { detail }));
}

/** A browser comes back to a stream by itself, but not after it was refused. @param {string} from */
function subscribeToFamily(from) {
  const again = () => (dispatch("change", { type: "reset", id: "", version: null }), subscribeToFamily(""));
  const ended = () => setTimeout(again, RETRY_AFTER);
  const hear = (/** @type {unknown} */ change) => dispatch("change", change);
  const line = (/** @type {boolean} */ open) => dispatch("line", open);
  subscribe(`homeshelf:${family}`, "/api/v1/events", from, hear, ended, line);
}

if (family) subscribeToFamily(since);
