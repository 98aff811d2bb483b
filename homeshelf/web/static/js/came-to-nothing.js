// What was done without a signal where nobody signs in, and came to nothing. Its own page may be gone: it is
// said on any.
import { sayLost } from "./queue/saying.js";
import { words } from "./words.js";

const WHY = { ended: "tickEnded", locked: "tickLocked", deleted: "tickDeleted" };

sayLost(
  ({ kind }) => kind === "share.tick",
  (changes, name) => {
    const codes = new Set(changes.map(({ over }) => over?.code ?? ""));
    const why = codes.size === 1 ? /** @type {Record<string, string>} */ (WHY)[[...codes][0]] : "";
    return words(why || "notTicked", { name });
  },
  "",
  "",
);
sayLost(({ kind }) => kind === "tap", (_, name) => words("tapEnded", { name }), "", "");
