// What is sent next, what a new change comes to with those before it, and what an answer makes of them.
import { LATE, threadOf, createChange } from "./change.js";

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").OwnDraft} OwnDraft
 * @typedef {import("./change.js").Kinds} Kinds
 * @typedef {import("./change.js").Verdict} Verdict
 */
/** The names of notes that were taken in. @type {import("./queue.js").ThingKey} */
export const JOURNALED = ["", "", "noted"];
const NOTES = 100; // each is struck out in the next moment
const ANSWERS_KEPT = 23 * 3600 * 1000; // an hour less than the server keeps them

/**
 * With new changes, of what was noted each once. What has a key keeps it: the page that noted it may have sent it.
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
 * With a new change. It joins those of its record that were not sent: a key that was used is taken.
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

/** The last ones of its record that nobody has sent. @param {Change[]} changes @param {OwnDraft} draft */
function unsentBefore(changes, draft) {
  const same = changes.filter((change) => !change.over && threadOf(change) === threadOf(draft));
  return same.slice(same.findLastIndex(({ sent }) => sent !== null) + 1);
}

/**
 * The next to be sent for somebody, marked as tried; those of one record wait for each other.
 * @param {Change[]} changes @param {string} who @param {string} at the server's time
 * @param {Set<string>} held people and threads that have to wait @param {Kinds} kinds
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
  const isLate = !kinds[change.kind]?.repeats && Date.parse(at) - Date.parse(change.sent) > ANSWERS_KEPT;
  return { changes: changes.map((each) => (each === next ? change : each)), result: { change, isLate } };
}

/**
 * As an answer, or a person, left them.
 * @param {Change[]} changes @param {Change} change @param {Verdict} verdict @param {Kinds} kinds
 */
export function applyVerdict(changes, change, verdict, kinds) {
  const place = changes.findIndex(({ n, key, over }) => n === change.n && key === change.key && !over);
  if (place < 0) return changes; // somebody else was answered first
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
    return [...before, { ...old, over: verdict.gone }, ...(kinds[old.kind]?.isApart ? after : others())];
  if ("drop" in verdict)
    return [...before, ...no, ...(isAddition(old) && !verdict.moveTo ? others() : moved(verdict.moveTo))];
  if ("done" in verdict) return [...before, ...after];
  return changes;
}

/**
 * What was refused did nothing, and is as good as not sent: but not where nobody knows.
 * @param {Change} change @param {import("./change.js").Question} question
 */
function withQuestion(change, question) {
  return { ...change, question, sent: question.code === LATE ? change.sent : null };
}

/**
 * What a person does not want any more, while an earlier request of it may still arrive: the server is told.
 * @param {Change} change @param {Verdict} verdict @param {Kinds} kinds @returns {Change[]}
 */
function compensate(change, verdict, kinds) {
  const { who, family, about, question, isRepeated } = change;
  const isElsewhere = "again" in verdict && (verdict.again.about ?? about) !== about;
  const mayArrive = isRepeated && question?.code !== LATE;
  const undone = mayArrive && ("drop" in verdict || isElsewhere) && kinds[change.kind]?.undone?.(change);
  return undone ? [createChange({ ...undone, ...{ who, family } })] : [];
}

/** What was never made can be neither ticked nor edited. @param {Change} change */
function isAddition({ kind }) {
  return kind.endsWith(".add");
}

/** @param {Change} change @param {any} record @param {Kinds} kinds */
function retarget(change, record, kinds) {
  return { ...change, ...kinds[change.kind]?.moved?.(change, record) };
}
