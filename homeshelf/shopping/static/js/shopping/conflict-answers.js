// Turn the answer to a conflict into a verdict for the queue.
import { draftEdit } from "./changes.js";
import { rebaseChange } from "./rebase.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").Verdict} Verdict
 */

/** Send the change again, as the person confirmed it. @param {Change} change @returns {Verdict} */
export function confirmChange(change) {
  const { question, body } = change;
  if (question?.code === "there") return { again: { body: { ...body, force: true } } };
  if (!question?.current) return { again: {} };
  return rebaseChange(change, question.current);
}

/**
 * Keep the values of this phone for these fields.
 * @param {Change} change @param {string[]} mine @returns {Verdict}
 */
export function keepMine(change, mine) {
  const { current, fields } = /** @type {any} */ (change.question);
  const theirs = fields.filter((/** @type {string} */ name) => !mine.includes(name));
  const body = Object.fromEntries(Object.entries(change.body ?? {}).filter(([name]) => !theirs.includes(name)));
  return Object.keys(body).length > 1 ? rebaseChange({ ...change, body }, current) : { drop: true };
}

/**
 * Raise the quantity of the existing entry instead of adding another.
 * @param {Change} change @param {number} quantity @returns {Verdict}
 */
export function increaseQuantity(change, quantity) {
  const existing = change.question?.existing;
  return { again: draftEdit(existing, { quantity }), moveTo: existing };
}

/**
 * Drop the new entry and apply its later changes to the existing one.
 * @param {Change} change @returns {Verdict}
 */
export function keepExisting(change) {
  const existing = change.question?.existing;
  return { drop: true, ...(existing && { moveTo: existing }) };
}
