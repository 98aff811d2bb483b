// Reports adjustments that the server refused.
import { reportLostChanges } from "../queue/lost-changes.js";
import { words } from "../words.js";
import { KIND } from "./counts.js";

const WHY = { deleted: "countedDeleted", forbidden: "countedForbidden", item_unavailable: "countedAside" };

reportLostChanges(
  ({ kind }) => kind === KIND,
  (changes, name) => {
    const codes = new Set(changes.map(({ over }) => over?.code ?? ""));
    const why = codes.size === 1 ? /** @type {Record<string, string>} */ (WHY)[[...codes][0]] : "";
    return words(why || "notCounted", { name });
  },
);
