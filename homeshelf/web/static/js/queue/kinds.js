// All that can wait to be sent. A kind that an older app kept stays here for as long as phones may have some.
import { kinds as shopping } from "../shopping/merging.js";
import { kinds as counts } from "./counts.js";
import { kinds as shared } from "./shared.js";

/** @type {import("./change.js").Kinds} */
export const kinds = { ...shopping, ...counts, ...shared };

/**
 * Few pages take stock: what they left is learned where it waits. The service worker, which can load nothing later, and
 * the page of a tag have it from the start.
 * @param {{kind: string}[]} changes @returns {Promise<boolean>} whether all can be sent
 */
export async function learn(changes) {
  if (changes.every(({ kind }) => kind in kinds || !/^stock\./.test(kind))) return true;
  return import("../taking/kinds.js").then(() => true, () => false);
}
