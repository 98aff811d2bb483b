// Register the list's change kinds on every page.
import "./kinds.js";
