// What is counted up or down. Each time counts, so what may have been done is never sent again unasked.
import { plainly } from "./plain.js";

/**
 * @typedef {import("./change.js").Kind} Kind
 * @typedef {import("./change.js").Change} Change
 */

/** How many more or less of an item. What the server told of each is kept. @type {Kind} */
const adjust = {
  verdict: sure,
  join: (before, draft) => summed(before, draft, 1_000_000),
  keeps: "counts",
  settled: (counts, { about }, answer) => ({ ...counts, [about]: answer ? counted(answer.item) : undefined }),
};

/** At the page of a tag. What is taken back stays apart from what is taken. @type {Kind} */
const tap = {
  verdict: (change, answer) => (answer.status === 404 ? { gone: { code: "ended" } } : sure(change, answer)),
  join: (before, draft) => summed(before, draft, 20),
};

/** @type {import("./change.js").Kinds} */
export const kinds = { "item.adjust": adjust, tap };

/**
 * What is refused is over: only where nobody can know whether it was done, somebody is asked.
 * @param {Change} change @param {import("./change.js").Answer} answer @returns {import("./change.js").Verdict}
 */
function sure(change, answer) {
  const verdict = plainly(change, answer);
  return "ask" in verdict && !answer.isLate ? { gone: verdict.ask } : verdict;
}

/** @param {{quantity: number, version: number}} item */
function counted({ quantity, version }) {
  return { quantity, version };
}

/**
 * @param {Change[]} before @param {import("./change.js").OwnDraft} draft @param {number} most
 * @returns {Change[] | undefined}
 */
function summed(before, draft, most) {
  const last = before.at(-1);
  if (last?.kind !== draft.kind || last.isRepeated || last.body?.undo !== draft.body?.undo) return undefined;
  const delta = last.body?.delta + draft.body?.delta;
  if (Math.abs(delta) > most) return undefined;
  return delta ? [...before.slice(0, -1), { ...last, body: { ...last.body, delta } }] : before.slice(0, -1);
}
