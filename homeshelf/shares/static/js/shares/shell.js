// Report lost offline ticks on any page, as the page of their list may be gone.
import { reportLostChanges } from "../queue/lost-changes.js";
import { words } from "../words.js";
import "./kinds.js";

const WHY = { ended: "tickEnded", locked: "tickLocked", deleted: "tickDeleted" };

reportLostChanges(
  ({ kind }) => kind === "share.tick",
  (changes, name) => {
    const codes = new Set(changes.map(({ over }) => over?.code ?? ""));
    const why = codes.size === 1 ? /** @type {Record<string, string>} */ (WHY)[[...codes][0]] : "";
    return words(why || "notTicked", { name });
  },
  "",
  "",
);
