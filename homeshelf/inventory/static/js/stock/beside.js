// A thing of the stock stands beside the others.
import { whenWide } from "../wide.js";

if (document.querySelector("#stock, #item")) whenWide("stock-wide.css", () => import("./wide/pane.js"));
