// Verdicts that hold for every kind of change, unless it has its own.
import { LATE } from "./change.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Answer} Answer
 * @typedef {import("./change.js").Kind} Kind
 * @typedef {import("./change.js").Verdict} Verdict
 */
const LATER = [0, 408, 421, 425, 429];

/** Whether the server said anything about the change itself. @param {number} status */
export function isConclusive(status) {
  return status <= 500 && !LATER.includes(status);
}

/** @param {Answer} answer */
export function isOk({ status }) {
  return status >= 200 && status < 300;
}

/** What is refused is never dropped unsaid. @param {Change} _change @param {Answer} answer @returns {Verdict} */
export function judgeByStatus(_change, answer) {
  const { status, body } = answer;
  if (isOk(answer)) return { done: body };
  if (status === 401) return { wait: true };
  if (status === 403) return { gone: { code: "forbidden" } };
  if (status === 404 || status === 410) return { gone: { code: "deleted" }, now: null };
  if (answer.isLate) return { ask: { code: LATE } };
  return { ask: { code: body?.code ?? "failed", detail: body?.detail ?? "" } };
}

/** The last one wins, and what waits is replaced by it. @type {Kind} */
export const lastWriteWins = {
  repeats: true,
  verdict: judgeByStatus,
  join: (before, draft) => {
    const last = before.findLast((each) => each.kind === draft.kind);
    return last && before.map((each) => (each === last ? { ...last, ...draft } : each));
  },
};

/** What is gone already is done. @type {Kind} */
export const deletion = {
  repeats: true,
  verdict: (change, answer) =>
    isOk(answer) || answer.status === 404 ? { done: null } : judgeByStatus(change, answer),
};
