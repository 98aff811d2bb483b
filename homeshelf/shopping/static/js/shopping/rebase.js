// Repeat a change on the current version of its record.

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").Verdict} Verdict
 */

/** Under the version that is there now. @param {Change} change @param {any} current @returns {Verdict} */
export function rebaseChange(change, current) {
  const body = { ...change.body, version: current.version };
  return { again: { body, seen: pickSeen(change, current) }, now: current };
}

/** @param {Change} change @param {any} record */
export function pickSeen({ seen }, record) {
  return seen && Object.fromEntries(Object.keys(seen).map((name) => [name, record[name] ?? null]));
}

/** The same change, to another entry. @param {Change} change @param {any} record @returns {Partial<Change>} */
export function redirectChange(change, { shoppingItemId, version }) {
  const body = change.body && { ...change.body, ...("version" in change.body && { version }) };
  return { about: shoppingItemId, path: change.path.replace(change.about, shoppingItemId), body };
}
