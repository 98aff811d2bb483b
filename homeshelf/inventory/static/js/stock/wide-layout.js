// Loads the side pane with the details of an item on wide screens.
import { whenWide } from "../wide/load.js";

if (document.querySelector("#stock, #item")) whenWide(() => import("./wide/pane.js"));
