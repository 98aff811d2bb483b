// Switch the user on page load, and warn about unsent changes before signing out.
import { toast } from "../toast.js";
import { pluralize, words } from "../words.js";
import { forgetFamilies } from "./current-user.js";
import { store } from "./store.js";
import { readJournal } from "./journal.js";
import { dismiss } from "./api.js";
import { removeUserData, removeSignedOutUsers } from "./user-data.js";
import { ensureCurrentUser, scheduleFlush } from "./scheduler.js";

/** @typedef {Pick<import("./change.js").Change, "label">} Named */
const NETWORK_TIMEOUT = 2000;
const DATABASE_TIMEOUT = 1000;
const MAX_NAMES = 2;
const { member = "", family = "" } = document.body.dataset;

removeSignedOutUsers().catch(() => {}); // the next page tries again
if (member) scheduleFlush().then(reportLost);
if (member && !family) ensureCurrentUser().then(() => forgetFamilies(member));

document.addEventListener("submit", (event) => handleSubmit(/** @type {SubmitEvent} */ (event)), { capture: true });

/** @param {SubmitEvent} event */
async function handleSubmit(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!member || form.dataset.meant || !form.matches("[data-ends-session]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { unsent, isAll } = await findUnsent();
  if ((unsent.length || !isAll) && !(await confirmSignOut(unsent))) return;
  await withTimeout(removeUserData(member), DATABASE_TIMEOUT); // if it is busy, the next page tries again
  form.dataset.meant = "1";
  form.requestSubmit(event.submitter);
}

/** Return unsent changes, and whether the list is complete. */
async function findUnsent() {
  await withTimeout(scheduleFlush(), NETWORK_TIMEOUT);
  const found = await withTimeout(store.changes(), DATABASE_TIMEOUT);
  const waiting = (found ?? []).filter(({ over }) => !over);
  return { unsent: [...waiting, ...readJournal()].filter(({ who }) => who === member), isAll: found !== null };
}

/**
 * Resolve to null on failure or timeout: another page may block the database.
 * @template T @param {Promise<T>} work @param {number} timeout @returns {Promise<T | null>}
 */
function withTimeout(work, timeout) {
  return Promise.race([work.catch(() => null), new Promise((done) => setTimeout(done, timeout, null))]);
}

/** @param {Named[]} unsent empty if unknown @returns {Promise<boolean>} */
function confirmSignOut(unsent) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("unsent"));
  const what = dialog.querySelector(".unsent-names");
  if (what) what.textContent = unsent.length ? describe(unsent, "notSentOne", "notSent") : words("notKnown");
  const go = /** @type {HTMLButtonElement} */ (dialog.querySelector("[data-go]"));
  dialog.returnValue = "";
  go.onclick = () => dialog.close("go");
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "go"), { once: true });
  });
}

/** Report lost changes of other families. Their own pages report them otherwise. */
async function reportLost() {
  const lost = (await store.changes()).filter(({ who, over, family: of }) => who === member && over && of !== family);
  if (!lost.length) return;
  toast(describe(lost, "lostOne", "lost"));
  for (const change of lost) await dismiss(change);
}

/** @param {Named[]} changes @param {string} one @param {string} many message keys */
function describe(changes, one, many) {
  const names = [...new Set(changes.map(({ label }) => label))];
  if (names.length === 1) return words(one, { name: names[0] });
  const more = names.length - MAX_NAMES;
  const shown = more > 0 ? [...names.slice(0, MAX_NAMES), pluralize("more", more)] : names;
  return words(many, { names: new Intl.ListFormat(document.documentElement.lang).format(shown) });
}
