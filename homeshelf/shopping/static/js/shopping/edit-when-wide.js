// An entry is changed beside the list.
import { whenWide } from "../wide/load.js";

whenWide(() => import("./wide/sheet.js"));
