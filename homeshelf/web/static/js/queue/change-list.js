// Pure functions on the list of changes: add, take the next to send, apply a verdict.
import { LATE, threadOf, createChange } from "./change.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").OwnDraft} OwnDraft
 * @typedef {import("./change.js").Kinds} Kinds
 * @typedef {import("./change.js").Verdict} Verdict
 */
/** The names of recovered journal entries. @type {import("./queue.js").ThingKey} */
export const JOURNALED = ["", "", "noted"];
const NOTES = 100; // entries are deleted right after recovery
const ANSWERS_KEPT = 23 * 3600 * 1000; // an hour less than on the server

/**
 * Add new changes, each journal entry once. A change with a key keeps it, because its page may have sent it.
 * @param {Change[]} changes @param {string[] | null} names @param {import("./change.js").Noted[]} drafts
 * @param {Kinds} kinds
 */
export function addJournaled(changes, names, drafts, kinds) {
  const fresh = drafts.filter(({ note }) => !note || !names?.includes(note));
  const known = changes.map((each) => {
    const sent = each.sent ?? drafts.find(({ key }) => key === each.key)?.sent;
    return sent && !each.sent ? { ...each, sent } : each;
  });
  return {
    changes: fresh.reduce((all, { note: _, ...draft }) => joinDraft(all, draft, kinds), known),
    value: appendNames(names, fresh.flatMap(({ note }) => note ?? [])),
  };
}

/** @param {string[] | null} names @param {string[]} more */
export function appendNames(names, more) {
  return [...new Set([...(names ?? []), ...more])].slice(-NOTES);
}

/**
 * Add a change and merge it with unsent ones of its record. A sent change keeps its key and stays separate.
 * @param {Change[]} changes @param {OwnDraft} draft @param {Kinds} kinds
 */
export function joinDraft(changes, draft, kinds) {
  if ("key" in draft) return [...changes, /** @type {Change} */ (draft)];
  const before = unsentBefore(changes, draft);
  const together = kinds[draft.kind]?.join?.(before, draft);
  if (!together) return [...changes, createChange(draft)];
  const apart = changes.filter((change) => !before.includes(change));
  const next = together.map((each) => (before.includes(/** @type {Change} */ (each)) ? each : createChange(each)));
  return [...apart, .../** @type {Change[]} */ (next)].sort((a, b) => (a.n ?? Infinity) - (b.n ?? Infinity));
}

/** Return the latest unsent changes of its record. @param {Change[]} changes @param {OwnDraft} draft */
function unsentBefore(changes, draft) {
  const same = changes.filter((change) => !change.over && threadOf(change) === threadOf(draft));
  return same.slice(same.findLastIndex(({ sent }) => sent !== null) + 1);
}

/**
 * Take the user's next change and mark it as sent. Changes of one record wait for each other.
 * @param {Change[]} changes @param {string} who @param {string} at the server's time
 * @param {Set<string>} held users and threads that have to wait @param {Kinds} kinds
 * @returns {{changes: Change[], result: {change: Change | null, isLate: boolean}}}
 */
export function takeNext(changes, who, at, held, kinds) {
  const behind = new Set();
  const next = changes.find((change) => {
    const thread = threadOf(change);
    if (change.over || behind.has(thread)) return false;
    behind.add(thread);
    const isTheirs = change.who === who || !change.who;
    return isTheirs && !change.question && !held.has(thread) && !(change.who && held.has(change.who));
  });
  if (!next) return { changes, result: { change: null, isLate: false } };
  const change = { ...next, sent: next.sent ?? at, isRepeated: Boolean(next.isRepeated) || next.sent !== null };
  const isLate = !kinds[change.kind]?.isIdempotent && Date.parse(at) - Date.parse(change.sent) > ANSWERS_KEPT;
  return { changes: changes.map((each) => (each === next ? change : each)), result: { change, isLate } };
}

/**
 * Apply the verdict of a response or of the user.
 * @param {Change[]} changes @param {Change} change @param {Verdict} verdict @param {Kinds} kinds
 */
export function applyVerdict(changes, change, verdict, kinds) {
  const place = changes.findIndex(({ n, key, over }) => n === change.n && key === change.key && !over);
  if (place < 0) return changes; // it was settled already
  const old = changes[place];
  const [before, after] = [changes.slice(0, place), changes.slice(place + 1)];
  const others = () => after.filter((each) => threadOf(each) !== threadOf(old));
  const moved = (/** @type {any} */ to) =>
    to ? after.map((each) => (threadOf(each) === threadOf(old) ? retarget(each, to, kinds) : each)) : after;
  const no = compensate(old, verdict, kinds);
  if ("again" in verdict)
    return [...before, createChange({ ...old, ...verdict.again }), ...no, ...moved(verdict.moveTo)];
  if ("ask" in verdict) return [...before, withQuestion(old, verdict.ask), ...after];
  if ("gone" in verdict)
    return [...before, { ...old, over: verdict.gone }, ...(kinds[old.kind]?.isIndependent ? after : others())];
  if ("drop" in verdict)
    return [...before, ...no, ...(isAddition(old) && !verdict.moveTo ? others() : moved(verdict.moveTo))];
  if ("done" in verdict) return [...before, ...after];
  return changes;
}

/**
 * Attach a question. A refused change counts as unsent, unless it may have been applied.
 * @param {Change} change @param {import("./change.js").Question} question
 */
function withQuestion(change, question) {
  return { ...change, question, sent: question.code === LATE ? change.sent : null };
}

/**
 * Return the undo of a dropped change if an earlier request of it may still arrive.
 * @param {Change} change @param {Verdict} verdict @param {Kinds} kinds @returns {Change[]}
 */
function compensate(change, verdict, kinds) {
  const { who, family, about, question, isRepeated } = change;
  const isElsewhere = "again" in verdict && (verdict.again.about ?? about) !== about;
  const mayArrive = isRepeated && question?.code !== LATE;
  const undone = mayArrive && ("drop" in verdict || isElsewhere) && kinds[change.kind]?.createUndo?.(change);
  return undone ? [createChange({ ...undone, ...{ who, family } })] : [];
}

/** Changes after a dropped addition are dropped too. @param {Change} change */
function isAddition({ kind }) {
  return kind.endsWith(".add");
}

/** @param {Change} change @param {any} record @param {Kinds} kinds */
function retarget(change, record, kinds) {
  return { ...change, ...kinds[change.kind]?.retarget?.(change, record) };
}
