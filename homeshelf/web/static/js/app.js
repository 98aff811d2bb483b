// The script of every page: each behaviour is a file of its own. What only some pages need stands in a
// folder, which they name. `homeshelf/web/scripts.py` adds an import of the `shell.js` of each slice.
import "./forms.js";
import "./sheets.js";
import "./live/family-events.js";
import "./live/connection.js";
import "./live/region.js";
import "./live/region-updates.js";
import "./live/badges.js";
import "./share-link.js";
import "./queue/sign-out.js";
import "./register-worker.js";
