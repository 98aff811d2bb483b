// Says what was counted in a cupboard and came to nothing.
import { reportLostChanges } from "../queue/lost-changes.js";
import { words } from "../words.js";

reportLostChanges(({ kind }) => /^stock\./.test(kind), (_, name) => words("notTaken", { name }));
