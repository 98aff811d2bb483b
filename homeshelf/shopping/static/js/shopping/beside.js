// An entry is changed beside the list.
import { whenWide } from "../wide/loading.js";

whenWide(() => import("./wide/sheet.js"));
