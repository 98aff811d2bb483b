// Reports stocktaking changes that the server refused.
import { reportLostChanges } from "../queue/lost-changes.js";
import { words } from "../words.js";

reportLostChanges(({ kind }) => /^stock\./.test(kind), (_, name) => words("notTaken", { name }));
