// What can wait to be sent, by kind. Slices register their kinds, and keep the rules of a kind for as long as a phone
// may have a change of it waiting.

/** @typedef {import("./change.js").Kinds} Kinds */

/** @type {Kinds} */
export const kinds = {};
let isComplete = false;

/** @param {Kinds} more */
export function registerKinds(more) {
  Object.assign(kinds, more);
}

/** There is nothing left to load. */
export function markComplete() {
  isComplete = true;
}

/**
 * Load the kinds that few pages need, where changes of them wait. The service worker, which can load nothing later, and
 * pages without the shell have all of them from the start.
 * @param {{kind: string}[]} changes @returns {Promise<boolean>} whether all can be sent
 */
export async function loadKinds(changes) {
  if (isComplete || changes.every(({ kind }) => kind in kinds)) return true;
  return import("./all-kinds.js").then(() => true, () => false);
}
