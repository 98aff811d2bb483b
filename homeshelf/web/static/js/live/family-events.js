// Dispatch the family's live changes as `homeshelf:change` events on the document, and the state of the stream as
// `homeshelf:line`.
import { subscribe } from "./stream.js";

const RETRY_AFTER = 10_000;
const { family, since = "" } = document.body.dataset;

/** @param {string} about @param {unknown} detail */
function dispatch(about, detail) {
  document.dispatchEvent(new CustomEvent(`homeshelf:${about}`, { detail }));
}

/** A browser reopens a stream itself, unless it was refused. @param {string} from */
function subscribeToFamily(from) {
  const again = () => (dispatch("change", { type: "reset", id: "", version: null }), subscribeToFamily(""));
  const ended = () => setTimeout(again, RETRY_AFTER);
  const hear = (/** @type {unknown} */ change) => dispatch("change", change);
  const line = (/** @type {boolean} */ open) => dispatch("line", open);
  subscribe(`homeshelf:${family}`, "/api/v1/events", from, hear, ended, line);
}

if (family) subscribeToFamily(since);
