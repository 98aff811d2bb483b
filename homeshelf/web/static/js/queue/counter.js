// Rules for counters. Increments are not idempotent, so a change that may have been applied is repeated only if the
// user agrees.
import { judgeByStatus } from "./verdicts.js";

/** @typedef {import("./change.js").Change} Change */

/**
 * A refused count is lost. The user is asked only if it may have been applied.
 * @param {Change} change @param {import("./change.js").Answer} answer @returns {import("./change.js").Verdict}
 */
export function countVerdict(change, answer) {
  const verdict = judgeByStatus(change, answer);
  return "ask" in verdict && !answer.isLate ? { gone: verdict.ask } : verdict;
}

/**
 * Add a count to the last unsent one, up to the limit of one request.
 * @param {Change[]} before @param {import("./change.js").OwnDraft} draft @param {number} most
 * @returns {Change[] | undefined}
 */
export function joinCounts(before, draft, most) {
  const last = before.at(-1);
  if (last?.kind !== draft.kind || last.isRepeated || last.body?.undo !== draft.body?.undo) return undefined;
  const delta = last.body?.delta + draft.body?.delta;
  if (Math.abs(delta) > most) return undefined;
  return delta ? [...before.slice(0, -1), { ...last, body: { ...last.body, delta } }] : before.slice(0, -1);
}
