// Default verdicts and kinds.
import { LATE } from "./change.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Answer} Answer
 * @typedef {import("./change.js").Kind} Kind
 * @typedef {import("./change.js").Verdict} Verdict
 */
const LATER = [0, 408, 421, 425, 429];

/** Return whether the status says what became of the change. @param {number} status */
export function isConclusive(status) {
  return status <= 500 && !LATER.includes(status);
}

/** @param {Answer} answer */
export function isOk({ status }) {
  return status >= 200 && status < 300;
}

/**
 * Judge a response by its status. Refusals are reported or asked about.
 * @param {Change} _change @param {Answer} answer @returns {Verdict}
 */
export function judgeByStatus(_change, answer) {
  const { status, body } = answer;
  if (isOk(answer)) return { done: body };
  if (status === 401) return { wait: true };
  if (status === 403) return { gone: { code: "forbidden" } };
  if (status === 404 || status === 410) return { gone: { code: "deleted" }, now: null };
  if (answer.isLate) return { ask: { code: LATE } };
  return { ask: { code: body?.code ?? "failed", detail: body?.detail ?? "" } };
}

/** The last write wins and replaces an unsent one. @type {Kind} */
export const lastWriteWins = {
  isIdempotent: true,
  verdict: judgeByStatus,
  join: (before, draft) => {
    const last = before.findLast((each) => each.kind === draft.kind);
    return last && before.map((each) => (each === last ? { ...last, ...draft } : each));
  },
};

/** A deletion of a missing record is done. @type {Kind} */
export const deletion = {
  isIdempotent: true,
  verdict: (change, answer) =>
    isOk(answer) || answer.status === 404 ? { done: null } : judgeByStatus(change, answer),
};
