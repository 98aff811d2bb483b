// `node shown_rules.mjs SCRIPTS`: how the list shows what waits, and in which order things stand.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/shopping/${name}.js`);
const [{ shown }, { grouped, merged }, { withEntry }] = await Promise.all(["shown", "grouping", "kept-list"].map(load));
const [drafts, deciding] = await Promise.all(["changes", "deciding"].map(load));
const { adding, editing, ordering, puttingAway, removing, ticking } = drafts;
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
    const [, bread] = entries(of(adding({ shoppingItemId: "e2", name: "Bread", picture: "b" }, true)));
    const { version, status, picture, isWaiting, asked, addedBy, force } = bread;
    assert.deepEqual([version, status, picture, isWaiting], [1, "pending", "b", true]);
    assert.deepEqual([asked, addedBy, force], [null, "ada", undefined]);
  },
  "an entry with a question is not pending, an existing one is not repeated": () => {
    const question = { code: "there" };
    const [, asked] = entries(of(adding({ shoppingItemId: "e2", name: "Bread" }), { question }));
    assert.deepEqual([asked.isWaiting, asked.asked.question], [false, question]);
    const [one, ...more] = entries(of(adding({ shoppingItemId: "e1", name: "Milk" })));
    assert.deepEqual([one.isWaiting, one.version, more], [true, 3, []]);
  },
  "a removal with a question still shows the entry": () => {
    assert.deepEqual(entries(of(removing(MILK))), []);
    const [still] = entries(of(removing(MILK), { question: { code: "failed" } }));
    assert.deepEqual([still.name, still.asked.kind, still.isWaiting], ["Milk", "entry.remove", undefined]);
  },
  "changes of missing entries or unknown kinds show nothing": () => {
    assert.deepEqual(entries(of(ticking({ ...MILK, shoppingItemId: "gone" }, "purchased"))), [MILK]);
    assert.deepEqual(entries({ ...of(ticking(MILK, "purchased")), kind: "entry.from-later" }), [MILK]);
  },
  "a local put-away dates from the last read": () => {
    assert.equal(entries(of(puttingAway(MILK)))[0].putAwayAt, AT);
  },
  "entries are sorted by age, purchased ones newest first": () => {
    const times = { early: "2026-01-01", late: "2026-01-02" };
    const pending = ["late", "early"].map((name) => named(name, { createdAt: times[name] }));
    const away = ["early", "late"].map((name) => named(`${name} bought`, { status: "purchased", updatedAt: times[name] }));
    const same = [named("same 1", { createdAt: "2026-01-03" }), named("same 2", { createdAt: "2026-01-03" })];
    const { groups, bought } = grouped({ entries: [...pending, ...away, ...same], stores: [STORE] }, "");
    assert.deepEqual(groups[0].entries.map(({ name }) => name), ["early", "late", "same 1", "same 2"]);
    assert.deepEqual(bought.map(({ name }) => name), ["late bought", "early bought"]);
  },
  "an unlisted name stays behind the nearest listed one": () => {
    assert.deepEqual(merged(["A", "x", "B", "y", "C"], ["C", "B", "A"]), ["C", "B", "y", "A", "x"]);
    assert.deepEqual(merged(["x", "A"], ["A"]), ["x", "A"]);
    assert.deepEqual(merged(["A", "x", "y"], ["A"]), ["A", "x", "y"]);
    assert.equal(merged([], Array.from({ length: 501 }, (_, i) => `n${i}`)).length, 500);
  },
  "a response replaces its entry of the same version": () => {
    const list = { entries: [named("a"), MILK, named("b")] };
    const after = withEntry(list, of(ticking(MILK, "purchased")), { ...MILK, status: "purchased" });
    assert.deepEqual(after.entries.map(({ name, status }) => [name, status]),
      [["a", "pending"], ["Milk", "purchased"], ["b", "pending"]]);
  },
  "a request omits empty fields": () => {
    const { body } = adding({ shoppingItemId: "e2", name: "Bread", itemId: null, notes: undefined });
    assert.deepEqual(Object.keys(body).sort(), ["name", "shoppingItemId"]);
    assert.equal(adding({ shoppingItemId: "e2", name: "Bread" }, true).body.force, true);
    assert.deepEqual(ticking({ ...MILK, putAwayAt: undefined }, "pending").seen, { putAwayAt: null });
    assert.deepEqual(editing(MILK, { notes: "x" }).seen, { notes: null });
    assert.equal(ordering(STORE, []).path, "/api/v1/shopping-list/order?storeId=unassigned");
    assert.equal(ordering({ storeId: "s1" }, []).path, "/api/v1/shopping-list/order?storeId=s1");
  },
  "insisting without a newer record repeats the request": () => {
    assert.deepEqual(deciding.insisted(of(ticking(MILK, "purchased"), { question: { code: "failed" } })), { again: {} });
    assert.deepEqual(deciding.leftAlone(of(adding({ shoppingItemId: "e2", name: "Bread" }))), { drop: true });
  },
});
