// The script of every page: each behaviour is a file of its own. What only some pages need stands in a
// folder, which they name. `homeshelf/web/scripts.py` adds an import of the `shell.js` of each slice.
import "./forms.js";
import "./sheets.js";
import "./live/listening.js";
import "./live/signal.js";
import "./live/region.js";
import "./live/regions.js";
import "./live/badges.js";
import "./share-link.js";
import "./queue/who.js";
import "./worker.js";
