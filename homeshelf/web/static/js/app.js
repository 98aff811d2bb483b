// The script of every page, one behavior per file. Pages name the folders that only they need.
// `homeshelf/web/scripts.py` adds an import of the `shell.js` of each slice.
import "./forms.js";
import "./sheets.js";
import "./live/family-events.js";
import "./live/connection.js";
import "./live/region.js";
import "./live/region-updates.js";
import "./live/badges.js";
import "./share-link.js";
import "./password-field.js";
import "./queue/sign-out.js";
import "./register-worker.js";
