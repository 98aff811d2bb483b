// What somebody does is noted before it is shown. The browser's database takes a moment, and the page may be gone by
// then: whichever page is next takes the note in, once.
import { newUuid } from "../uuid.js";
import { loadKinds } from "./kinds.js";
import { queue } from "./sender.js";

/**
 * @typedef {import("./change.js").OwnDraft} OwnDraft
 * @typedef {import("./change.js").Noted} Noted
 */
const NAME = "homeshelf:note:";
const OPEN = 2000; // a page that gathers presses may add to what it has noted just now
const NEXT = 0.001; // a browser's clock stands still for a while

let last = 0;

/** They outlive the page as soon as this is called, and are kept when it is done. @param {OwnDraft[]} drafts */
export async function addDrafts(drafts) {
  if (!drafts.length) return;
  const noted = writeEntry(drafts);
  try {
    await queue.add(...noted);
  } finally {
    deleteEntries(noted); // what could not be kept is said, and not done later
  }
}

/** What a page that is gone has left. @returns {Promise<boolean>} whether that is all */
export async function recoverJournal() {
  const left = readJournal(({ isOpen, at }) => !isOpen || Math.abs(Date.now() - at) > OPEN);
  if (left.length && (await loadKinds(left))) {
    await queue.add(...left);
    deleteEntries(left);
  }
  return !readJournal().length;
}

/** In the order in which they were done. @param {(entry: any) => boolean} [isMeant] @returns {Noted[]} */
export function readJournal(isMeant = () => true) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(NAME));
    const found = names.map((name) => JSON.parse(localStorage.getItem(name) ?? '{"noted": []}')).filter(isMeant);
    return found.sort((a, b) => a.at - b.at).flatMap(({ noted }) => noted);
  } catch {
    return []; // a person may have forbidden it
  }
}

/** @param {string} who has gone, and nothing of theirs stays */
export function deleteJournal(who) {
  deleteEntries(readJournal().filter((each) => each.who === who));
}

/** @param {OwnDraft[]} drafts @returns {Noted[]} */
function writeEntry(drafts) {
  const name = newUuid();
  const noted = drafts.map((draft) => ({ ...draft, note: name }));
  last = Math.max(last + NEXT, performance.timeOrigin + performance.now());
  try {
    localStorage.setItem(NAME + name, JSON.stringify({ at: last, noted }));
  } catch {} // it is full or forbidden, and the page has to stay for that moment
  return noted;
}

/** @param {Noted[]} noted */
function deleteEntries(noted) {
  try {
    for (const name of new Set(noted.map(({ note }) => note))) localStorage.removeItem(NAME + name);
  } catch {} // nothing was noted either
}
