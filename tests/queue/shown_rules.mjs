// `node shown_rules.mjs SCRIPTS`: how the list shows what waits, and in which order things stand.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/shopping/${name}.js`);
const [{ applyChanges: shown }, { groupEntries, mergeOrder }, { updateEntry }] = await Promise.all(["pending-view", "store-groups", "cached-list"].map(load));
const [drafts, deciding] = await Promise.all(["changes", "conflict-answers"].map(load));
const { draftAddition, draftEdit, draftOrder, draftPutAway, draftRemoval, draftTick } = drafts;
const OWN = { who: "ada", family: "home" };
const AT = "2026-11-16T09:00:00.000Z";
const MILK = { shoppingItemId: "e1", name: "Milk", status: "pending", putAwayAt: null, storeId: null, version: 3 };
const KEPT = { at: AT, entries: [MILK], stores: [], usual: [] };
const STORE = { storeId: null, name: null };

const of = (draft, more = {}) => ({ ...OWN, ...draft, question: null, over: null, ...more });
const entries = (...changes) => shown(KEPT, changes).entries;
const named = (name, more) => ({ ...MILK, shoppingItemId: name, name, ...more });

await hold({
  "a new entry is shown as the server will create it": () => {
    const [, bread] = entries(of(draftAddition({ shoppingItemId: "e2", name: "Bread", picture: "b" }, true)));
    const { version, status, picture, isWaiting, asked, addedBy, force } = bread;
    assert.deepEqual([version, status, picture, isWaiting], [1, "pending", "b", true]);
    assert.deepEqual([asked, addedBy, force], [null, "ada", undefined]);
  },
  "an entry with a question is not pending, an existing one is not repeated": () => {
    const question = { code: "there" };
    const [, asked] = entries(of(draftAddition({ shoppingItemId: "e2", name: "Bread" }), { question }));
    assert.deepEqual([asked.isWaiting, asked.asked.question], [false, question]);
    const [one, ...more] = entries(of(draftAddition({ shoppingItemId: "e1", name: "Milk" })));
    assert.deepEqual([one.isWaiting, one.version, more], [true, 3, []]);
  },
  "a removal with a question still shows the entry": () => {
    assert.deepEqual(entries(of(draftRemoval(MILK))), []);
    const [still] = entries(of(draftRemoval(MILK), { question: { code: "failed" } }));
    assert.deepEqual([still.name, still.asked.kind, still.isWaiting], ["Milk", "entry.remove", undefined]);
  },
  "changes of missing entries or unknown kinds show nothing": () => {
    assert.deepEqual(entries(of(draftTick({ ...MILK, shoppingItemId: "gone" }, "purchased"))), [MILK]);
    assert.deepEqual(entries({ ...of(draftTick(MILK, "purchased")), kind: "entry.from-later" }), [MILK]);
  },
  "a local put-away dates from the last read": () => {
    assert.equal(entries(of(draftPutAway(MILK)))[0].putAwayAt, AT);
  },
  "entries are sorted by age, purchased ones newest first": () => {
    const times = { early: "2026-01-01", late: "2026-01-02" };
    const pending = ["late", "early"].map((name) => named(name, { createdAt: times[name] }));
    const away = ["early", "late"].map((name) => named(`${name} bought`, { status: "purchased", updatedAt: times[name] }));
    const same = [named("same 1", { createdAt: "2026-01-03" }), named("same 2", { createdAt: "2026-01-03" })];
    const { groups, bought } = groupEntries({ entries: [...pending, ...away, ...same], stores: [STORE] }, "");
    assert.deepEqual(groups[0].entries.map(({ name }) => name), ["early", "late", "same 1", "same 2"]);
    assert.deepEqual(bought.map(({ name }) => name), ["late bought", "early bought"]);
  },
  "an unlisted name stays behind the nearest listed one": () => {
    assert.deepEqual(mergeOrder(["A", "x", "B", "y", "C"], ["C", "B", "A"]), ["C", "B", "y", "A", "x"]);
    assert.deepEqual(mergeOrder(["x", "A"], ["A"]), ["x", "A"]);
    assert.deepEqual(mergeOrder(["A", "x", "y"], ["A"]), ["A", "x", "y"]);
    assert.equal(mergeOrder([], Array.from({ length: 501 }, (_, i) => `n${i}`)).length, 500);
  },
  "a response replaces its entry of the same version": () => {
    const list = { entries: [named("a"), MILK, named("b")] };
    const after = updateEntry(list, of(draftTick(MILK, "purchased")), { ...MILK, status: "purchased" });
    assert.deepEqual(after.entries.map(({ name, status }) => [name, status]),
      [["a", "pending"], ["Milk", "purchased"], ["b", "pending"]]);
  },
  "a request omits empty fields": () => {
    const { body } = draftAddition({ shoppingItemId: "e2", name: "Bread", itemId: null, notes: undefined });
    assert.deepEqual(Object.keys(body).sort(), ["name", "shoppingItemId"]);
    assert.equal(draftAddition({ shoppingItemId: "e2", name: "Bread" }, true).body.force, true);
    assert.deepEqual(draftTick({ ...MILK, putAwayAt: undefined }, "pending").seen, { putAwayAt: null });
    assert.deepEqual(draftEdit(MILK, { notes: "x" }).seen, { notes: null });
    assert.equal(draftOrder(STORE, []).path, "/api/v1/shopping-list/order?storeId=unassigned");
    assert.equal(draftOrder({ storeId: "s1" }, []).path, "/api/v1/shopping-list/order?storeId=s1");
  },
  "insisting without a newer record repeats the request": () => {
    assert.deepEqual(deciding.confirmChange(of(draftTick(MILK, "purchased"), { question: { code: "failed" } })), { again: {} });
    assert.deepEqual(deciding.keepExisting(of(draftAddition({ shoppingItemId: "e2", name: "Bread" }))), { drop: true });
  },
});
