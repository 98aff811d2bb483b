// Ticks of anonymous visitors: if the server refuses one, it is lost and the visitor is not asked to sign in.
import { registerKinds } from "../queue/kinds.js";
import { lastWriteWins, judgeByStatus } from "../queue/verdicts.js";

/** @typedef {import("../queue/change.js").Kind} Kind */
const OVER = { 401: "locked", 403: "locked", 404: "deleted", 410: "ended" };

/** A tick on a shared list. @type {Kind} */
const tick = {
  ...lastWriteWins,
  verdict: (change, answer) => {
    const code = /** @type {Record<number, string>} */ (OVER)[answer.status];
    const verdict = judgeByStatus(change, answer);
    if (code) return { gone: { code } };
    return "ask" in verdict ? { gone: verdict.ask } : verdict;
  },
};

registerKinds({ "share.tick": tick });
