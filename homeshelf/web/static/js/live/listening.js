// What others in the family change arrives here, as `homeshelf:change` events on the document, and
// `homeshelf:line` says whether anything can arrive.
import { listenTo } from "./stream.js";

const AGAIN = 10_000;
const { family, since = "" } = document.body.dataset;

/** @param {string} about @param {unknown} detail */
function tell(about, detail) {
  document.dispatchEvent(new CustomEvent(`homeshelf:${about}`, { detail }));
}

/** A browser comes back to a stream by itself, but not after it was refused. @param {string} from */
function listen(from) {
  const again = () => (tell("change", { type: "reset", id: "", version: null }), listen(""));
  const ended = () => setTimeout(again, AGAIN);
  const hear = (/** @type {unknown} */ change) => tell("change", change);
  const line = (/** @type {boolean} */ open) => tell("line", open);
  listenTo(`homeshelf:${family}`, "/api/v1/events", from, hear, ended, line);
}

if (family) listen(since);
