// The one script of every page: each behaviour is a file of its own.
import "./forms.js";
import "./sheets.js";
import "./live.js";
import "./badges.js";
import "./share.js";
import "./write-tag.js";
import "./print.js";
import "./stepper.js";
import "./search.js";
import "./shopping.js";
import "./wishes.js";
import "./reading.js";
import "./scanner.js";
import "./importing.js";
import "./shared-list.js";
import "./order-list.js";
import "./worker.js";
