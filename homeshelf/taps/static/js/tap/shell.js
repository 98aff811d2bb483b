// Reports a refused offline tap on any page, because the tag's page may be closed.
import { reportLostChanges } from "../queue/lost-changes.js";
import { words } from "../words.js";
import "./kinds.js";

reportLostChanges(({ kind }) => kind === "tap", (_, name) => words("tapEnded", { name }), "", "");
