// Load all kinds of changes: `homeshelf/web/scripts.py` adds an import of the `kinds.js` of each slice.
import { markComplete } from "./kinds.js";

markComplete();
