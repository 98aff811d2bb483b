// Report lost changes in a toast while the page is visible.
import { toast } from "../toast.js";
import { dismiss, listLost } from "./api.js";

/** @typedef {import("./change.js").Change} Change */
const READ = 2000;

/**
 * @param {(change: Change) => boolean} isOurs @param {(changes: Change[], names: string) => string} sentence
 * @param {string} [who] @param {string} [family]
 */
export function reportLostChanges(isOurs, sentence, who, family) {
  let isSaying = false;
  const say = async () => {
    if (isSaying || document.hidden) return;
    isSaying = true;
    for (let changes; (changes = (await listLost(who, family)).filter(isOurs)).length; ) {
      toast(sentence(changes, named(changes)));
      await new Promise((done) => setTimeout(done, READ)); // if the page closes first, the next one reports it
      for (const change of changes) await dismiss(change);
    }
    isSaying = false;
  };
  for (const kind of ["homeshelf:queue", "visibilitychange"]) document.addEventListener(kind, say);
  say();
}

/** @param {Change[]} changes */
function named(changes) {
  const names = new Set(changes.map(({ label }) => label));
  return new Intl.ListFormat(document.documentElement.lang).format(names);
}
