// `node rules.mjs SCRIPTS`: the rules of the queue and of the list, one by one.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);
await load("queue/all-kinds");
const [{ kinds }, order, { isConclusive }] = await Promise.all(["queue/kinds", "queue/change-list", "queue/verdicts"].map(load));
const [{ applyChanges: shown }, { updateEntry }] = await Promise.all(["shopping/pending-view", "shopping/cached-list"].map(load));
const [drafts, deciding] = await Promise.all(["shopping/changes", "shopping/conflict-answers"].map(load));
const OWN = { who: "ada", family: "home" };
const EMPTY = { quantity: null, notes: null, putAwayAt: null };
const MILK = { ...EMPTY, shoppingItemId: "e1", name: "Milk", status: "pending", version: 3 };
const AT = "2026-11-16T09:00:00.000Z";

/** Changes as a store would have them, after these were added one by one. */
function queued(...made) {
  return made.reduce((changes, draft) => numbered(order.joinDraft(changes, { ...OWN, ...draft }, kinds)), []);
}

function numbered(changes) {
  const last = Math.max(0, ...changes.map(({ n }) => n ?? 0));
  return changes.map((change) => (change.n ? change : { ...change, n: last + 1 }));
}

function sent(change, at = AT) {
  return { ...change, sent: at };
}

function verdict(draft, answer) {
  return kinds[draft.kind].verdict({ ...OWN, ...draft }, answer);
}

function conflict(current) {
  return { status: 409, body: { code: "version_conflict", current: { ...MILK, ...current } } };
}

function next(changes, held = new Set(), at = AT) {
  return order.takeNext(changes, "ada", at, held, kinds).result;
}

const { draftAddition, draftTick, draftEdit, draftRemoval, draftPutAway, draftTakeBack } = drafts;
const tick = draftTick(MILK, "purchased");
const untick = draftTick(MILK, "pending");
const counted = { kind: "item.adjust", about: "i1", label: "Rice", method: "POST", path: "/i1", seen: null };
const adjust = (delta) => ({ ...counted, body: { delta } });
const gone = { status: 404, body: {} };
const tap = (delta, undo) => ({ ...adjust(delta), kind: "tap", body: { delta, undo } });
const bread = draftAddition({ shoppingItemId: "e2", name: "Bread" });
const rice = draftAddition({ shoppingItemId: "e3", name: "Rice", itemId: "i1", storeId: "s1" });

const REMOVAL = ["entry.remove", "DELETE", "/api/v1/shopping-list/e3"];

const RULES = {
  "a second tick replaces an unsent one": () => {
    const [one, ...more] = queued(tick, untick);
    assert.deepEqual([one.body, more], [{ status: "pending", version: 3 }, []]);
  },
  "a second tick does not replace a sent one": () => {
    const changes = order.joinDraft([sent(queued(tick)[0])], { ...OWN, ...untick }, kinds);
    assert.deepEqual(changes.map(({ body }) => body.status), ["purchased", "pending"]);
  },
  "a tick does not merge across a put-away": () => {
    assert.equal(queued(tick, draftPutAway(MILK), untick).length, 3);
  },
  "a tick replaces one with a question": () => {
    const [asked] = order.applyVerdict(queued(untick), queued(untick)[0], {}, kinds);
    const question = { ...asked, question: { code: "putAway" } };
    const [one, ...more] = order.joinDraft([question], { ...OWN, ...tick }, kinds);
    assert.deepEqual([one.question, one.body.status, more], [null, "purchased", []]);
  },
  "an edit joins an unsent addition": () => {
    const [one, ...more] = queued(bread, draftEdit({ ...MILK, shoppingItemId: "e2" }, { quantity: 2 }));
    assert.deepEqual([one.kind, one.body.quantity, more], ["entry.add", 2, []]);
  },
  "an edit that clears a field of the item stays separate": () => {
    assert.equal(queued(rice, draftEdit({ ...MILK, shoppingItemId: "e3" }, { storeId: null })).length, 2);
  },
  "two edits merge and keep the first one's seen values": () => {
    const second = draftEdit({ ...MILK, name: "Oat milk" }, { name: "Soy", notes: "2" });
    const [one] = queued(draftEdit(MILK, { name: "Oat milk" }), second);
    assert.deepEqual([one.body, one.seen], [{ name: "Soy", notes: "2", version: 3 }, { name: "Milk", notes: null }]);
  },
  "removing an unsent addition drops both": () => {
    const entry = { ...MILK, shoppingItemId: "e2" };
    assert.deepEqual(queued(bread, draftTick(entry, "purchased"), draftRemoval(entry)), []);
  },
  "removing an addition that may still arrive sends a request": () => {
    const entry = { ...MILK, shoppingItemId: "e3" };
    const { changes } = order.takeNext([sent(queued(rice)[0])], "ada", AT, new Set(), kinds);
    const asked = order.applyVerdict(changes, changes[0], { ask: { code: "there", existing: MILK } }, kinds);
    const left = order.joinDraft(asked, { ...OWN, ...draftRemoval(entry) }, kinds);
    assert.deepEqual(left.map(({ kind, about }) => [kind, about]), [["entry.remove", "e3"]]);
  },
  "removing a sent addition sends a request": () => {
    const removal = { ...OWN, ...draftRemoval({ ...MILK, shoppingItemId: "e2" }) };
    assert.equal(order.joinDraft([sent(queued(bread)[0])], removal, kinds).length, 2);
  },
  "unsent counts add up and disappear at zero": () => {
    assert.equal(queued(adjust(-1), adjust(-2))[0].body.delta, -3);
    assert.deepEqual(queued(adjust(-1), adjust(1)), []);
    assert.equal(order.joinDraft([sent(queued(adjust(-1))[0])], { ...OWN, ...adjust(-1) }, kinds).length, 2);
  },
  "undo at a tag and counts over the limit stay separate": () => {
    assert.equal(queued(tap(-1, false), tap(1, true)).length, 2);
    assert.equal(queued(tap(-20, false), tap(-1, false)).length, 2);
  },
  "a press joins only the last unsent tap": () => {
    const deltas = (...pressed) => queued(...pressed.map((delta) => tap(delta, false))).map(({ body }) => body.delta);
    assert.deepEqual(deltas(-20, -1, -2), [-20, -3]);
    assert.deepEqual(deltas(-20, -1, 1), [-20]);
  },
  "a merged change has a new key": () => {
    const [before] = queued(tick);
    assert.notEqual(order.joinDraft([before], { ...OWN, ...untick }, kinds)[0].key, before.key);
  },
  "changes of another user are not merged and not sent": () => {
    const changes = order.joinDraft(queued(adjust(-1)), { ...OWN, ...adjust(-1), who: "bob" }, kinds);
    assert.equal(changes.length, 2);
    assert.equal(order.takeNext(changes, "bob", AT, new Set(), kinds).result.change.who, "bob");
  },
  "anonymous changes are sent for any user": () => {
    const changes = queued({ ...tap(-1, false), who: "", family: "" });
    assert.equal(order.takeNext(changes, "bob", AT, new Set(), kinds).result.change.kind, "tap");
  },
  "a retry keeps key and time of the first attempt": () => {
    const [change] = queued(adjust(-1));
    const { changes } = order.takeNext([change], "ada", AT, new Set(), kinds);
    const { change: again } = next(changes, new Set(), "2026-11-16T10:00:00.000Z");
    assert.deepEqual([again.key, again.sent], [change.key, AT]);
  },
  "the oldest change goes first, changes of a record wait for each other": () => {
    const [first, second] = queued(adjust(-1), tick);
    assert.equal(next([first, second]).change.n, first.n);
    const asked = { ...sent(first), question: { code: "late" } };
    assert.equal(next([asked, second]).change.n, second.n);
    assert.equal(next([asked, { ...queued(adjust(-1))[0], n: 9 }]).change, null);
  },
  "a change is late after 23 hours of server time unless idempotent": () => {
    const soon = "2026-11-17T07:59:00.000Z";
    const later = "2026-11-17T08:01:00.000Z";
    assert.equal(next([sent(queued(adjust(-1))[0])], new Set(), soon).isLate, false);
    assert.equal(next([sent(queued(adjust(-1))[0])], new Set(), later).isLate, true);
    assert.equal(next([sent(queued(draftRemoval(MILK))[0])], new Set(), later).isLate, false);
    assert.equal(next(queued(adjust(-1)), new Set(), later).isLate, false);
  },
  "a response to a replaced change is ignored": () => {
    const changes = queued(tick);
    assert.equal(order.applyVerdict(changes, { ...changes[0], key: "old" }, { done: MILK }, kinds), changes);
  },
  "a response to a lost change does not remove its report": () => {
    const [first] = queued(tick);
    const over = order.applyVerdict([first], first, { gone: { code: "deleted" } }, kinds);
    assert.equal(order.applyVerdict(over, first, { done: MILK }, kinds), over);
  },
  "a refused change with a question counts as unsent, a late one does not": () => {
    const [change] = [sent(queued(tick)[0])];
    const asked = (code) => order.applyVerdict([change], change, { ask: { code } }, kinds)[0].sent;
    assert.deepEqual([asked("putAway"), asked("late")], [null, AT]);
  },
  "a deleted record is reported and drops later changes": () => {
    const [first, second] = queued(tick, draftPutAway(MILK));
    const left = order.applyVerdict([sent(first), second], first, { gone: { code: "deleted" } }, kinds);
    assert.deepEqual(left.map(({ over }) => over), [{ code: "deleted" }]);
  },
  "a dropped addition drops later changes": () => {
    const entry = { ...MILK, shoppingItemId: "e3" };
    const [first, second] = queued(rice, draftTick(entry, "purchased"));
    assert.deepEqual(order.applyVerdict([first, second], first, { drop: true }, kinds), []);
  },
  "a declined change that may have arrived is undone": () => {
    const asked = { ...queued(rice)[0], question: { code: "there", existing: MILK } };
    const left = (change, decided) => order.applyVerdict([change], change, decided(change), kinds);
    const repeated = { ...asked, isRepeated: true };
    const [no, ...more] = left(repeated, deciding.keepExisting);
    assert.deepEqual([no.kind, no.method, no.path, no.who, more], [...REMOVAL, "ada", []]);
    const [edit, too] = left(repeated, (change) => deciding.increaseQuantity(change, 2));
    assert.deepEqual([edit.about, too.kind, too.method, too.path], ["e1", ...REMOVAL]);
    assert.deepEqual(left(asked, deciding.keepExisting), []);
    assert.deepEqual(left(repeated, deciding.confirmChange).map(({ kind }) => kind), ["entry.add"]);
    assert.deepEqual(left({ ...repeated, question: { code: "late" } }, () => ({ drop: true })), []);
  },
  "a change without response is marked as repeated": () => {
    const [first] = queued(rice);
    const tried = next([first]).change;
    assert.deepEqual([tried.isRepeated, next([tried]).change.isRepeated], [false, true]);
    assert.equal(next([{ ...tried, sent: null, isRepeated: true }]).change.isRepeated, true);
  },
  "choosing the existing entry moves the tick to it": () => {
    const [first, second] = queued(rice, draftTick({ ...MILK, shoppingItemId: "e3", version: 1 }, "purchased"));
    const asked = { ...first, question: { code: "there", existing: MILK } };
    const [left] = order.applyVerdict([asked, second], asked, deciding.keepExisting(asked), kinds);
    assert.deepEqual([left.about, left.path, left.body.version], ["e1", "/api/v1/shopping-list/e1/status", 3]);
    const [more, ticked] = order.applyVerdict([asked, second], asked, deciding.increaseQuantity(asked, 2), kinds);
    assert.deepEqual([more.kind, more.about, more.body], ["entry.edit", "e1", { quantity: 2, version: 3 }]);
    assert.equal(ticked.about, "e1");
  },
  "gateway errors say nothing about a change": () => {
    assert.deepEqual([0, 408, 421, 429, 502, 503, 504].map(isConclusive), Array(7).fill(false));
    assert.deepEqual([200, 204, 401, 409, 500].map(isConclusive), Array(5).fill(true));
  },
  "the last tick wins": () => {
    assert.deepEqual(verdict(tick, conflict({ version: 5 })).again.body, { status: "purchased", version: 5 });
    assert.equal(verdict(tick, conflict({ version: 5, status: "purchased" })).done.version, 5);
  },
  "an untick of an entry put away by others asks": () => {
    const away = { version: 5, status: "purchased", putAwayAt: AT };
    assert.equal(verdict(untick, conflict(away)).ask.code, "putAway");
    assert.equal(verdict(draftTick({ ...MILK, putAwayAt: AT }, "pending"), conflict(away)).again.body.version, 5);
  },
  "a change of a deleted entry is lost and reported": () => {
    for (const draft of [tick, draftEdit(MILK, { name: "Soy" }), draftPutAway(MILK)])
      assert.deepEqual(verdict(draft, gone), { gone: { code: "deleted" }, now: null });
    assert.deepEqual(verdict(draftRemoval(MILK), gone), { done: null });
  },
  "edits of different fields are merged": () => {
    const edit = draftEdit(MILK, { name: "Oat milk" });
    const { body } = verdict(edit, conflict({ version: 5, notes: "2 l" })).again;
    assert.deepEqual(body, { name: "Oat milk", version: 5 });
    assert.equal(verdict(edit, conflict({ version: 5, name: "Oat milk" })).done.version, 5);
  },
  "edits of the same field ask, and either may stay": () => {
    const edit = draftEdit(MILK, { name: "Oat milk", quantity: 2 });
    const { ask } = verdict(edit, conflict({ version: 5, name: "Soy milk" }));
    assert.deepEqual(ask.fields, ["name"]);
    const change = { ...OWN, ...edit, question: ask };
    assert.deepEqual(deciding.keepMine(change, ["name"]).again.body, { name: "Oat milk", quantity: 2, version: 5 });
    assert.deepEqual(deciding.keepMine(change, []).again.body, { quantity: 2, version: 5 });
    assert.deepEqual(deciding.confirmChange(change).again.seen, { name: "Soy milk", quantity: null });
    const name = { ...change, body: { name: "Oat milk", version: 3 } };
    assert.deepEqual(deciding.keepMine(name, []), { drop: true });
  },
  "an existing entry with the same id means done": () => {
    const there = (existing) => verdict(rice, { status: 409, body: { code: "duplicate", existing } });
    assert.deepEqual(there({ ...MILK, shoppingItemId: "e3" }).done.shoppingItemId, "e3");
    assert.equal(there(MILK).ask.code, "there");
    assert.equal(deciding.confirmChange({ ...OWN, ...rice, question: there(MILK).ask }).again.body.force, true);
  },
  "an addition continues without a deleted store or item": () => {
    const { body } = verdict(rice, gone).again;
    assert.deepEqual(body, { shoppingItemId: "e3", name: "Rice", itemId: "i1" });
    assert.deepEqual(verdict({ ...rice, body }, gone).again.body, { shoppingItemId: "e3", name: "Rice" });
    assert.equal(verdict(bread, gone).gone.code, "removed");
  },
  "an edit continues without a deleted store": () => {
    const edit = draftEdit(MILK, { storeId: "s1", quantity: 2 });
    assert.deepEqual(verdict(edit, gone).again.body, { quantity: 2, version: 3 });
    assert.deepEqual(verdict(draftEdit(MILK, { storeId: "s1" }), gone), { gone: { code: "deleted" } });
  },
  "an entry put away by others is reported, an unticked one asks": () => {
    const now = { ...MILK, version: 5 };
    const wrong = (current) => ({ status: 409, body: { code: "wrong_state", current: { ...now, ...current } } });
    const already = verdict(draftPutAway(MILK), wrong({ status: "purchased", putAwayAt: AT }));
    assert.deepEqual([already.gone.code, already.now.version], ["alreadyAway", 5]);
    assert.equal(verdict(draftPutAway(MILK), wrong({})).ask.code, "notBought");
    assert.equal(verdict(draftPutAway(MILK), conflict({ status: "purchased", version: 5 })).again.body.version, 5);
    assert.equal(verdict(draftTakeBack(MILK), wrong({ status: "purchased" })).done.version, 5);
  },
  "a late change is looked up and asks if the result is unknown": () => {
    const late = (draft, found) => verdict(draft, { isLate: true, status: 0, body: null, ...found });
    for (const draft of [tick, bread, draftPutAway(MILK)])
      assert.equal(late(draft).look, `/api/v1/shopping-list/${draft.about}`);
    assert.equal(late(adjust(-1)).ask.code, "late");
    assert.equal(late(bread, { status: 200, body: MILK }).done, MILK);
    assert.equal(late(bread, { status: 404 }).ask.code, "late");
    assert.equal(late(tick, { status: 200, body: { ...MILK, status: "purchased", version: 9 } }).done.version, 9);
    assert.equal(late(tick, { status: 200, body: { ...MILK, version: 9 } }).ask.code, "late");
    assert.equal(late(tick, { status: 200, body: MILK }).again.body.version, 3);
  },
  "anonymous changes do not wait for an expired session": () => {
    for (const draft of [tick, bread, adjust(-1), draftRemoval(MILK)])
      assert.deepEqual(verdict(draft, { status: 401, body: {} }), { wait: true });
    const changes = queued(tick, { ...tap(-1, false), who: "", family: "" });
    assert.equal(next(changes, new Set(["ada"])).change.kind, "tap");
  },
  "a forbidden change is lost, a refused one asks": () => {
    assert.equal(verdict(tick, { status: 403, body: {} }).gone.code, "forbidden");
    const refused = { status: 422, body: { code: "item_unavailable", detail: "This item is archived." } };
    assert.deepEqual(verdict(rice, refused).ask, { code: "item_unavailable", detail: "This item is archived." });
  },
  "an older record does not replace a newer one": () => {
    const list = { entries: [MILK] };
    const change = { ...OWN, ...tick };
    assert.equal(updateEntry(list, change, { ...MILK, version: 2 }), list);
    assert.equal(updateEntry(list, change, { ...MILK, version: 4 }).entries[0].version, 4);
    assert.deepEqual(updateEntry(list, change, null).entries, []);
    assert.deepEqual(updateEntry({ entries: [] }, change, MILK).entries, []);
    assert.deepEqual(updateEntry({ entries: [] }, { ...OWN, ...bread }, MILK).entries, []);
    const made = { ...MILK, shoppingItemId: "e2" };
    assert.deepEqual(updateEntry({ entries: [] }, { ...OWN, ...bread }, made).entries, [{ ...made, picture: "", unit: "" }]);
  },
  "the page shows the cached list with pending changes": () => {
    const [anywhere, tea] = [{ storeId: null, name: "Anywhere", order: [] }, { usualId: "u1", name: "Tea" }];
    const kept = { at: AT, entries: [MILK], stores: [anywhere], usual: [tea] };
    const more = [drafts.draftOrder(anywhere, ["Bread"]), drafts.draftForget(tea)];
    const list = shown(kept, queued(tick, draftEdit(MILK, { notes: "2 l" }), bread, ...more));
    const said = list.entries.map(({ name, status, notes, isWaiting }) => [name, status, notes, isWaiting]);
    assert.deepEqual(said, [["Milk", "purchased", "2 l", true], ["Bread", "pending", null, true]]);
    assert.deepEqual([list.stores[0].order, list.usual], [["Bread"], []]);
    assert.deepEqual(shown(kept, queued(draftRemoval(MILK))).entries, []);
    const [change] = queued(untick);
    const asked = { ...change, question: { code: "putAway" } };
    const [bought] = shown({ ...kept, entries: [{ ...MILK, status: "purchased" }] }, [asked]).entries;
    assert.deepEqual([bought.status, bought.asked, bought.isWaiting], ["purchased", asked, undefined]);
    assert.equal(shown(kept, [{ ...change, over: { code: "deleted" } }]).entries[0], MILK);
  },
};

await hold(RULES);
