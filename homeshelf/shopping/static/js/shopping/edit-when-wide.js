// Load the edit sheet beside the list on wide screens.
import { whenWide } from "../wide/load.js";

whenWide(() => import("./wide/sheet.js"));
