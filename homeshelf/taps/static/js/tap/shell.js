// A tap without a signal that came to nothing is said on any page: that of its tag may be closed.
import { reportLostChanges } from "../queue/lost-changes.js";
import { words } from "../words.js";
import "./kinds.js";

reportLostChanges(({ kind }) => kind === "tap", (_, name) => words("tapEnded", { name }), "", "");
