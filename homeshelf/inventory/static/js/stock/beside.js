// A thing of the stock stands beside the others.
import { whenWide } from "../wide/load.js";

if (document.querySelector("#stock, #item")) whenWide(() => import("./wide/pane.js"));
