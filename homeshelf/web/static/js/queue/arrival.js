// The person of this page is here now.
import { arrive } from "./here.js";

const { member } = document.body.dataset;

/** @type {Promise<void> | null} */
let arriving = null;

/** When nothing of the person before is kept any more, and nothing of theirs is sent. What failed is tried again. */
export function arrived() {
  arriving ??= member ? arrive(member) : Promise.resolve();
  arriving.catch(() => (arriving = null));
  return arriving;
}
