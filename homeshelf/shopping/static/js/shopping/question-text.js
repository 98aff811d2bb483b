// Describe a question of the queue, and list its answers.
import { pluralize, words } from "../words.js";
import { keepMine, confirmChange, keepExisting, increaseQuantity } from "./conflict-answers.js";

/**
 * @typedef {import("../queue/change.js").Change} Change
 * @typedef {import("../queue/change.js").Verdict} Verdict
 * @typedef {{storeId: string | null, name: string}[]} Stores
 */
const SENTENCES = {
  there: "thereAlready",
  putAway: "awayMeanwhile",
  notBought: "backMeanwhile",
  late: "longAgo",
  both: "bothChanged",
};
const LOST = {
  deleted: "deletedMeanwhile",
  removed: "deletedMeanwhile",
  forbidden: "notAllowed",
  not_ticked: "notTicked",
};
const ALREADY_AWAY = "alreadyAway";

/** Group questions that one answer settles. @param {Change[]} all @returns {Change[][]} */
export function groupQuestions(all) {
  const away = all.filter(({ over }) => over?.code === ALREADY_AWAY);
  const others = all.filter((each) => !away.includes(each)).map((each) => [each]);
  return away.length ? [...others, away] : others;
}

/** @param {Change[]} group @param {Stores} stores @returns {string} */
export function describeQuestion([change, ...more], stores) {
  const { label: name, question, over, body } = change;
  if (over?.code === ALREADY_AWAY) return describeAlreadyAway([change, ...more]);
  const { code = "", detail = "", fields = [], current = {} } = /** @type {any} */ (question ?? over);
  const key = /** @type {Record<string, string>} */ (over ? LOST : SENTENCES)[code] ?? "refused";
  /** @param {any} from */
  const told = (from) => /** @type {string[]} */ (fields).map((field) => shown(field, from[field], stores)).join(", ");
  return words(key, { name, detail, mine: told(body), theirs: told(current) });
}

/** @param {Change[]} changes */
function describeAlreadyAway(changes) {
  const names = new Intl.ListFormat(document.documentElement.lang).format(changes.map(({ label }) => label));
  return pluralize("alreadyAway", changes.length, { names });
}

/** @param {Change} change @returns {{word: string, means: Verdict}[]} */
export function listChoices(change) {
  const { code = "", fields = [], existing } = /** @type {any} */ (change.question);
  const no = { word: words("leaveIt"), means: /** @type {Verdict} */ ({ drop: true }) };
  if (code === "there") {
    const count = (existing.quantity ?? 1) + (change.body?.quantity ?? 1);
    const more = { word: words("makeMore", { count }), means: increaseQuantity(change, count) };
    return [{ word: words("addAnother"), means: confirmChange(change) }, more, { ...no, means: keepExisting(change) }];
  }
  if (code === "both") return [
    { word: words("takeMine"), means: keepMine(change, fields) },
    { word: words("takeTheirs"), means: keepMine(change, []) },
  ];
  if (code === "notBought") return [no];
  return [{ word: words("doIt"), means: confirmChange(change) }, no];
}

/** @param {string} field @param {any} value @param {Stores} stores */
function shown(field, value, stores) {
  if (field !== "storeId") return value ?? words("nothing");
  return stores.find(({ storeId }) => storeId === value)?.name ?? words("anywhere");
}
