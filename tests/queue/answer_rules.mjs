// `node answer_rules.mjs SCRIPTS`: what the queue makes of each answer of the server.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);
await load("queue/all-kinds");
const [{ kinds }, order, plain] = await Promise.all(["queue/kinds", "queue/change-list", "queue/verdicts"].map(load));
const [drafts, list] = await Promise.all(["shopping/changes", "shopping/cached-list"].map(load));
const { draftAddition, draftEdit, draftOrder, draftPutAway, draftTakeBack, draftTick } = drafts;
const OWN = { who: "ada", family: "home" };
const AT = "2026-11-16T09:00:00.000Z";
const MILK = { shoppingItemId: "e1", name: "Milk", status: "pending", quantity: null, notes: null, version: 3 };
const RICE = draftAddition({ shoppingItemId: "e3", name: "Rice", itemId: "i1", picture: "rice" });
const TAP = { kind: "tap", about: "t1", label: "Rice", method: "POST", path: "/t1", seen: null };
const ADJUST = { ...TAP, kind: "item.adjust", about: "i1" };
const MARKET = { storeId: "s1", name: "Market" };

function queued(...made) {
  return made.reduce((changes, draft) => order.joinDraft(changes, { ...OWN, ...draft }, kinds), []);
}

function verdict(draft, answer) {
  return kinds[draft.kind].verdict({ ...OWN, ...draft }, { body: {}, ...answer });
}

function isLateAfter(draft, at) {
  const [change] = queued(draft);
  return order.takeNext([{ ...change, sent: AT }], "ada", at, new Set(), kinds).result.isLate;
}

const tap = (delta) => ({ ...TAP, body: { delta, undo: false } });
const adjust = (delta) => ({ ...ADJUST, body: { delta } });

await hold({
  "a success is done and returns the server's entry": () => {
    assert.equal(verdict(draftTick(MILK, "purchased"), { status: 200, body: { shoppingItem: MILK } }).done, MILK);
    assert.equal(verdict(draftTick(MILK, "purchased"), { status: 200, body: MILK }).done, MILK);
    assert.equal(plain.isOk({ status: 300 }), false);
    assert.equal(plain.isConclusive(425), false);
  },
  'a refusal without a code asks with the code "failed"': () => {
    assert.deepEqual(verdict(ADJUST, { status: 422, isLate: true }), { ask: { code: "late" } });
    assert.deepEqual(verdict(draftTick(MILK, "purchased"), { status: 409 }).ask, { code: "failed", detail: "" });
    assert.deepEqual(verdict(draftTick(MILK, "purchased"), { status: 400, body: null }).ask.code, "failed");
  },
  "status 410 counts as deleted": () => {
    const deleted = { gone: { code: "deleted" }, now: null };
    assert.deepEqual(verdict(draftTick(MILK, "purchased"), { status: 410 }), deleted);
    assert.deepEqual(verdict(draftTick(MILK, "purchased"), { status: 404, isLate: true }), deleted);
    assert.deepEqual(verdict(tap(-1), { status: 404 }), { gone: { code: "ended" } });
    assert.deepEqual(verdict(tap(-1), { status: 422, body: { code: "none" } }).gone.code, "none");
    assert.equal(verdict(tap(-1), { status: 422, isLate: true }).ask.code, "late");
  },
  "an edit joins an unsent addition and keeps name and picture": () => {
    const [one, ...more] = queued(RICE, draftEdit({ ...MILK, shoppingItemId: "e3", name: "Rice" }, { quantity: 2 }));
    assert.deepEqual([one.label, one.body.quantity, one.seen, more], ["Rice", 2, { picture: "rice", unit: undefined }, []]);
    const [named] = queued(RICE, draftEdit({ ...MILK, shoppingItemId: "e3" }, { name: "Basmati" }));
    assert.equal(named.label, "Basmati");
  },
  "a missing field equals null": () => {
    const { notes, ...without } = MILK;
    const conflict = (current) => ({ status: 409, body: { current: { ...current, version: 5 } } });
    assert.equal(verdict(draftEdit({ ...MILK, notes: "x" }, { notes: null }), conflict(without)).done.version, 5);
    const own = { ...draftEdit(MILK, { notes: "mine" }), seen: {} };
    assert.equal(verdict(own, conflict(MILK)).again.body.notes, "mine");
    assert.equal(notes, null);
  },
  "an entry put away again by others is taken back again": () => {
    const current = { ...MILK, putAwayAt: AT, version: 5 };
    assert.equal(verdict(draftTakeBack(MILK), { status: 409, body: { current } }).again.body.version, 5);
  },
  "a new order of a store replaces the unsent one": () => {
    const [first, tick, ...more] = queued(
      draftOrder(MARKET, ["Tea"]),
      draftTick(MILK, "purchased"),
      draftOrder(MARKET, ["Milk", "Tea"]),
    );
    assert.deepEqual([first, tick, ...more].map(({ kind }) => kind).sort(), ["entry.tick", "list.order"]);
    const { body } = [first, tick].find(({ kind }) => kind === "list.order");
    assert.deepEqual(body.names, ["Milk", "Tea"]);
  },
  "the cached order of a store changes once the server answers": () => {
    const change = { ...OWN, ...draftOrder(MARKET, ["Tea"]) };
    const kept = { stores: [{ ...MARKET, order: [] }, { storeId: null, order: ["Milk"] }] };
    const after = kinds["list.order"].updateCache(kept, change, {});
    assert.deepEqual(after.stores.map((store) => store.order), [["Tea"], ["Milk"]]);
    assert.equal(kinds["list.order"].updateCache(kept, change, undefined), kept);
    assert.deepEqual(list.updateOrder(undefined, change), []);
  },
  "cached counts are the server's": () => {
    const { updateCache } = kinds["item.adjust"];
    const answer = { item: { quantity: 4, version: 7, name: "Rice" } };
    assert.deepEqual(updateCache({ i2: 1 }, { about: "i1" }, answer), { i2: 1, i1: { quantity: 4, version: 7 } });
    assert.deepEqual(updateCache({ i1: 1 }, { about: "i1" }, null), { i1: undefined });
  },
  "counts merge up to the limit of a request": () => {
    assert.equal(queued(tap(-19), tap(-1)).length, 1);
    assert.equal(queued(tap(-20), tap(-1)).length, 2);
    assert.equal(queued(adjust(999_999), adjust(1)).length, 1);
    assert.equal(queued(adjust(1_000_000), adjust(1)).length, 2);
    assert.deepEqual(queued({ ...adjust(5), about: "i2" }, adjust(1), adjust(-1)).map(({ about }) => about), ["i2"]);
    assert.deepEqual(queued(adjust(2), adjust(-1)).map(({ body }) => body.delta), [1]);
  },
  "after 23 hours only changes that are not idempotent are late": () => {
    const [then, later] = ["2026-11-17T08:00:00.000Z", "2026-11-17T08:00:00.001Z"];
    assert.deepEqual([isLateAfter(adjust(-1), then), isLateAfter(adjust(-1), later)], [false, true]);
    for (const draft of [draftTakeBack(MILK), draftOrder(MARKET, [])]) assert.equal(isLateAfter(draft, later), false);
    assert.equal(isLateAfter(draftPutAway(MILK), later), true);
    assert.deepEqual(order.takeNext([], "ada", AT, new Set(), kinds).result, { change: null, isLate: false });
  },
  "the last hundred journal names are remembered": () => {
    const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
    assert.deepEqual(order.appendNames(names, ["n99", "new"]), [...names.slice(1), "new"]);
    assert.deepEqual(order.appendNames(null, ["new"]), ["new"]);
  },
});
