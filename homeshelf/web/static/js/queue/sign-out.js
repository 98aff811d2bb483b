// Who comes to this phone and who goes. What waits to be sent is named before it goes with somebody.
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { forgetFamilies } from "./current-user.js";
import { store } from "./store.js";
import { readJournal } from "./journal.js";
import { dismiss } from "./api.js";
import { removeUserData, removeSignedOutUsers } from "./user-data.js";
import { ensureCurrentUser, scheduleFlush } from "./scheduler.js";

/** @typedef {Pick<import("./change.js").Change, "label">} Named */
const LINE = 2000;
const DATABASE = 1000;
const NAMED = 2;
const { member = "", family = "" } = document.body.dataset;

removeSignedOutUsers().catch(() => {}); // the next page tries again
if (member) scheduleFlush().then(sayWhatIsLost);
if (member && !family) ensureCurrentUser().then(() => forgetFamilies(member));

document.addEventListener("submit", (event) => ask(/** @type {SubmitEvent} */ (event)), { capture: true });

/** @param {SubmitEvent} event */
async function ask(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!member || form.dataset.meant || !form.matches("[data-ends-session]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { unsent, isAll } = await notSent();
  if ((unsent.length || !isAll) && !(await isMeant(unsent))) return;
  await soon(removeUserData(member), DATABASE); // a busy database keeps nobody here: the next page tries again
  form.dataset.meant = "1";
  form.requestSubmit(event.submitter);
}

/** What cannot be sent just now, and whether it is known that this is all. */
async function notSent() {
  await soon(scheduleFlush(), LINE);
  const found = await soon(store.changes(), DATABASE);
  const waiting = (found ?? []).filter(({ over }) => !over);
  return { unsent: [...waiting, ...readJournal()].filter(({ who }) => who === member), isAll: found !== null };
}

/**
 * Null where it fails or takes too long: another page may have the browser's database to itself.
 * @template T @param {Promise<T>} work @param {number} patience @returns {Promise<T | null>}
 */
function soon(work, patience) {
  return Promise.race([work.catch(() => null), new Promise((done) => setTimeout(done, patience, null))]);
}

/** @param {Named[]} unsent none where nobody knows @returns {Promise<boolean>} */
function isMeant(unsent) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("unsent"));
  const what = dialog.querySelector(".unsent-what");
  if (what) what.textContent = unsent.length ? named(unsent, "notSentOne", "notSent") : words("notKnown");
  const go = /** @type {HTMLButtonElement} */ (dialog.querySelector("[data-go]"));
  dialog.returnValue = "";
  go.onclick = () => dialog.close("go");
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "go"), { once: true });
  });
}

/** Of a family that this page is not about: on its own pages, it is said where it was done. */
async function sayWhatIsLost() {
  const lost = (await store.changes()).filter(({ who, over, family: of }) => who === member && over && of !== family);
  if (!lost.length) return;
  toast(named(lost, "lostOne", "lost"));
  for (const change of lost) await dismiss(change);
}

/** @param {Named[]} changes @param {string} one @param {string} many the sentences, by their keys */
function named(changes, one, many) {
  const names = [...new Set(changes.map(({ label }) => label))];
  if (names.length === 1) return words(one, { name: names[0] });
  const more = names.length - NAMED;
  const said = more > 0 ? [...names.slice(0, NAMED), pluralize("more", more)] : names;
  return words(many, { names: new Intl.ListFormat(document.documentElement.lang).format(said) });
}
