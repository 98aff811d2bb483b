// An entry is changed beside the list.
import { whenWide } from "../wide.js";

whenWide("list-wide.css", () => import("./wide/sheet.js"));
