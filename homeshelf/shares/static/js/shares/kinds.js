// What is done where nobody has to be signed in: what is shut to this phone is over, and nobody is asked.
import { register } from "../queue/kinds.js";
import { lastWins, plainly } from "../queue/plain.js";

/** @typedef {import("../queue/change.js").Kind} Kind */
const OVER = { 401: "locked", 403: "locked", 404: "deleted", 410: "ended" };

/** A tick on a list that was handed to somebody. @type {Kind} */
const tick = {
  ...lastWins,
  verdict: (change, answer) => {
    const code = /** @type {Record<number, string>} */ (OVER)[answer.status];
    const verdict = plainly(change, answer);
    if (code) return { gone: { code } };
    return "ask" in verdict ? { gone: verdict.ask } : verdict;
  },
};

register({ "share.tick": tick });
