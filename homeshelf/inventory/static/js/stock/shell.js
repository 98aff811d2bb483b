// Loaded by every page, so that any page can send pending adjustments.
import "./kinds.js";
