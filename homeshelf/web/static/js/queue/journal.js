// A write-ahead journal in localStorage. The page may close before IndexedDB has stored a change; the next page
// recovers the entry, once.
import { newUuid } from "../uuid.js";
import { loadKinds } from "./kinds.js";
import { queue } from "./sender.js";

/**
 * @typedef {import("./change.js").OwnDraft} OwnDraft
 * @typedef {import("./change.js").Noted} Noted
 */
const PREFIX = "homeshelf:note:";
const OPEN_FOR = 2000; // a page may still add presses to a fresh entry
const MIN_STEP = 0.001; // browsers coarsen their clocks

let lastTime = 0;

/**
 * Add changes to the queue. They survive the page from the call on, and are stored when it resolves.
 * @param {OwnDraft[]} drafts
 */
export async function addDrafts(drafts) {
  if (!drafts.length) return;
  const noted = writeEntry(drafts);
  try {
    await queue.add(...noted);
  } finally {
    deleteEntries(noted); // a failure is reported, so the entry must not be recovered
  }
}

/** Add the journal entries of closed pages to the queue. @returns {Promise<boolean>} whether none is left */
export async function recoverJournal() {
  const entries = readJournal(({ isOpen, at }) => !isOpen || Math.abs(Date.now() - at) > OPEN_FOR);
  if (entries.length && (await loadKinds(entries))) {
    await queue.add(...entries);
    deleteEntries(entries);
  }
  return !readJournal().length;
}

/** Return the journaled changes, oldest first. @param {(entry: any) => boolean} [matches] @returns {Noted[]} */
export function readJournal(matches = () => true) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    const found = names.map((name) => JSON.parse(localStorage.getItem(name) ?? '{"noted": []}')).filter(matches);
    return found.sort((a, b) => a.at - b.at).flatMap(({ noted }) => noted);
  } catch {
    return []; // storage may be disabled
  }
}

/** @param {string} who signed out */
export function deleteJournal(who) {
  deleteEntries(readJournal().filter((each) => each.who === who));
}

/** @param {OwnDraft[]} drafts @returns {Noted[]} */
function writeEntry(drafts) {
  const name = newUuid();
  const noted = drafts.map((draft) => ({ ...draft, note: name }));
  lastTime = Math.max(lastTime + MIN_STEP, performance.timeOrigin + performance.now());
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ at: lastTime, noted }));
  } catch {} // storage is full or disabled
  return noted;
}

/** @param {Noted[]} noted */
function deleteEntries(noted) {
  try {
    for (const name of new Set(noted.map(({ note }) => note))) localStorage.removeItem(PREFIX + name);
  } catch {} // storage is disabled
}
