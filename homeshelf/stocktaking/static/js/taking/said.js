// Says what was counted in a cupboard and came to nothing.
import { sayLost } from "../queue/saying.js";
import { words } from "../words.js";

sayLost(({ kind }) => /^stock\./.test(kind), (_, name) => words("notTaken", { name }));
