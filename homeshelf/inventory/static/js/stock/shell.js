// Any page sends counts that wait.
import "./kinds.js";
