// Any page sends what waits of the list.
import "./kinds.js";
