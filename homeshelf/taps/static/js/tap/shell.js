// A tap without a signal that came to nothing is said on any page: that of its tag may be closed.
import { sayLost } from "../queue/saying.js";
import { words } from "../words.js";
import "./kinds.js";

sayLost(({ kind }) => kind === "tap", (_, name) => words("tapEnded", { name }), "", "");
