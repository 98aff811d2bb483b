// What is counted up or down. Each time counts, so what may have been done is never sent again unasked.
import { judgeByStatus } from "./verdicts.js";

/** @typedef {import("./change.js").Change} Change */

/**
 * What is refused is over: only where nobody can know whether it was done, somebody is asked.
 * @param {Change} change @param {import("./change.js").Answer} answer @returns {import("./change.js").Verdict}
 */
export function countVerdict(change, answer) {
  const verdict = judgeByStatus(change, answer);
  return "ask" in verdict && !answer.isLate ? { gone: verdict.ask } : verdict;
}

/**
 * Join a count to the last one that waits, unless that makes too many for one request.
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
