// Kinds of changes. Slices register them and keep a kind for as long as a phone may have such a change stored.

/** @typedef {import("./change.js").Kinds} Kinds */

/** @type {Kinds} */
export const kinds = {};
let isComplete = false;

/** @param {Kinds} more */
export function registerKinds(more) {
  Object.assign(kinds, more);
}

/** All kinds are loaded. */
export function markComplete() {
  isComplete = true;
}

/**
 * Load the kinds that few pages need if such changes wait. The service worker and pages without the shell have all
 * kinds from the start.
 * @param {{kind: string}[]} changes @returns {Promise<boolean>} whether all kinds are known
 */
export async function loadKinds(changes) {
  if (isComplete || changes.every(({ kind }) => kind in kinds)) return true;
  return import("./all-kinds.js").then(() => true, () => false);
}
