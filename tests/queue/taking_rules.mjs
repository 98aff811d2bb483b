// `node taking_rules.mjs SCRIPTS`: what was counted in a cupboard, on its way to the server.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);
const [{ kinds, loadKinds }, order, { Queue }, { MemoryStore }] = await Promise.all(
  ["queue/kinds", "queue/change-list", "queue/queue", "queue/memory-store"].map(load),
);
const drafts = await load("taking/changes");
const { addingItems, countingItem, makingPlace, removingItem, MOST } = drafts;
const OWN = { who: "ada", family: "home" };
const AT = "2026-11-16T09:00:00.000Z";
const MILK = { itemId: "i1", name: "Milk", quantity: 2 };
const BREAD = { itemId: "i2", name: "Bread", quantity: 1 };
const BEANS = { itemId: "i3", name: "Beans", quantity: 4, barcodes: ["96385074"] };
const many = (count, from = 0) => Array.from({ length: count }, (_, i) => ({ ...MILK, itemId: `m${from + i}` }));

await Promise.all(["shopping", "stock", "tap", "shares"].map((folder) => load(`${folder}/kinds`)));
assert.ok(!("stock.add" in kinds), "the queue of every page is light");
assert.equal(await loadKinds([{ kind: "entry.add" }]), true);
assert.ok(!("stock.add" in kinds));
assert.equal(await loadKinds([{ kind: "stock.add" }]), true);
assert.ok("stock.add" in kinds);
assert.equal(await loadKinds([{ kind: "kind.of.another.version" }]), true);

function queued(...made) {
  return made.reduce((changes, draft) => numbered(order.joinDraft(changes, { ...OWN, ...draft }, kinds)), []);
}

function numbered(changes) {
  const last = Math.max(0, ...changes.map(({ n }) => n ?? 0));
  return changes.map((change) => (change.n ? change : { ...change, n: last + 1 }));
}

function verdict(draft, answer) {
  return kinds[draft.kind].verdict({ ...OWN, ...draft }, answer);
}

function ids(change) {
  return change.body.items.map(({ itemId }) => itemId);
}

/** A queue whose server answers as it is told, and what it was asked for. */
function queueOf(answer) {
  const asked = [];
  const send = async ({ method, path, body, key }) => (asked.push({ method, path, body, key }), answer(path, asked));
  return { queue: new Queue({ store: new MemoryStore(), kinds, send, now: async () => AT }), asked };
}

const added = addingItems([MILK, BREAD]);

await hold({
  "things that wait go in one request": () => {
    const [one, ...more] = queued(addingItems([MILK]), addingItems([BREAD]));
    assert.deepEqual([ids(one), one.label, more], [["i1", "i2"], "Milk, Bread", []]);
  },
  "but never more than a hundred": () => {
    const found = queued(addingItems(many(MOST - 1)), addingItems([MILK]), addingItems([BREAD]));
    assert.deepEqual(found.map((each) => ids(each).length), [MOST, 1]);
  },
  "and what comes after a full request goes in the next": () => {
    const after = queued(addingItems(many(100)), addingItems([MILK]), addingItems([BREAD]));
    assert.deepEqual([MOST, ...after.map((each) => ids(each).length)], [100, 100, 2]);
    assert.deepEqual(queued(addingItems(many(100)), addingItems([MILK]), removingItem(MILK)).map(({ label }) => label),
      ["Milk, Milk, Milk, …"]);
    assert.equal(addingItems(many(3)).label, "Milk, Milk, Milk");
  },
  "a thing that is not on its way is counted by itself, with the last count of it": () => {
    const counts = [countingItem(MILK, 1), countingItem(BEANS, 2), countingItem(BEANS, 3)];
    const found = queued(addingItems([BREAD]), ...counts);
    assert.deepEqual(found.map(({ kind, body }) => [kind, body.delta]),
      [["stock.add", undefined], ["stock.count", 1], ["stock.count", 5]]);
  },
  "a store that is gone is left out too": () => {
    const placed = { ...MILK, preferredStoreId: "s1" };
    assert.deepEqual(verdict(addingItems([placed]), { status: 404, body: {} }), { again: { body: { items: [MILK] } } });
  },
  "nor with one that was sent": () => {
    const [first] = queued(addingItems([MILK]));
    const found = order.joinDraft([{ ...first, sent: AT }], { ...OWN, ...addingItems([BREAD]) }, kinds);
    assert.deepEqual(found.map(ids), [["i1"], ["i2"]]);
  },
  "a label names a few": () => {
    assert.equal(addingItems(many(9)).label, "Milk, Milk, Milk, …");
  },
  "what was not sent is counted up where it stands": () => {
    const [one, ...more] = queued(added, countingItem(BREAD, 3), countingItem(BREAD, -1));
    assert.deepEqual([one.body.items.map(({ quantity }) => quantity), more], [[2, 3], []]);
  },
  "what was sent is counted up after it": () => {
    const [first] = queued(added);
    let changes = [{ ...first, sent: AT }];
    for (const delta of [1, 2]) changes = numbered(order.joinDraft(changes, { ...OWN, ...countingItem(MILK, delta) }, kinds));
    assert.deepEqual(changes.map(({ kind, body }) => [kind, body.delta]), [["stock.add", undefined], ["stock.count", 3]]);
    changes = order.joinDraft(changes, { ...OWN, ...countingItem(MILK, -3) }, kinds);
    assert.equal(changes.length, 1);
  },
  "of two things each has its own count": () => {
    const sent = queued(added).map((each) => ({ ...each, sent: AT }));
    const changes = [countingItem(MILK, 1), countingItem(BREAD, 1)].reduce(
      (all, draft) => numbered(order.joinDraft(all, { ...OWN, ...draft }, kinds)), sent);
    assert.equal(changes.length, 3);
  },
  "undo takes a thing out of what was not sent": () => {
    const [one, ...more] = queued(added, removingItem(MILK));
    assert.deepEqual([ids(one), one.label, more], [["i2"], "Bread", []]);
    assert.deepEqual(queued(added, removingItem(MILK), removingItem(BREAD)), []);
  },
  "but deletes it where a request of it may arrive": () => {
    const [first] = queued(added);
    for (const state of [{ sent: AT }, { isRepeated: true }]) {
      const found = order.joinDraft([{ ...first, ...state }], { ...OWN, ...removingItem(MILK) }, kinds);
      assert.deepEqual(found.map(({ method }) => method), ["POST", "DELETE"]);
    }
  },
  "what is gone already is undone": () => {
    assert.deepEqual(verdict(removingItem(MILK), { status: 404, body: {} }), { done: null });
  },
  "one's own thing that stands there was made": () => {
    const refused = { status: 409, body: { code: "duplicate", existing: MILK } };
    assert.deepEqual(verdict(added, refused), { again: { body: { items: [BREAD] } } });
    assert.deepEqual(verdict(addingItems([MILK]), refused), { done: null });
  },
  "what has its barcode is counted up instead": () => {
    const refused = { status: 409, body: { code: "duplicate", existing: { ...MILK, itemId: "other" } } };
    const { again } = verdict(addingItems([BEANS]), refused);
    assert.deepEqual([again.kind, again.about, again.path, again.body],
      ["item.adjust", "other", "/api/v1/items/other/adjust", { delta: 4 }]);
  },
  "so what has one goes alone": () => {
    assert.equal(queued(addingItems([MILK]), addingItems([BEANS]), addingItems([BREAD])).length, 3);
  },
  "a place that is gone is left out": () => {
    const placed = { ...MILK, locationId: "l1", preferredStoreId: "s1" };
    assert.deepEqual(verdict(addingItems([placed]), { status: 404, body: {} }), { again: { body: { items: [MILK] } } });
    assert.deepEqual(verdict(addingItems([MILK]), { status: 404, body: {} }).gone.code, "deleted");
  },
  "after a day the first thing is looked for": () => {
    assert.deepEqual(verdict(added, { status: 0, body: null, isLate: true }), { look: "/api/v1/items/i1" });
    assert.deepEqual(verdict(added, { status: 200, body: MILK, isLate: true }), { done: null });
    assert.deepEqual(verdict(added, { status: 404, body: {}, isLate: true }), { again: {} });
  },
  "nobody knows whether a count of a day ago was done, which is said": () => {
    assert.deepEqual(verdict(countingItem(MILK, 1), { status: 0, body: null, isLate: true }), { gone: { code: "late" } });
  },
  "what is refused is said, and nothing waits behind it": async () => {
    const { queue, asked } = queueOf((path) => (path.endsWith("/adjust") ? { status: 422, body: { code: "item_unavailable" } }
      : { status: 201, body: { items: [] } }));
    const sent = { ...OWN, ...countingItem(MILK, 1) };
    await queue.add(sent);
    await queue.add({ ...OWN, ...addingItems([BREAD]) });
    await queue.flush("ada");
    assert.equal(asked.length, 2);
    assert.deepEqual((await queue.lost("ada", "home")).map(({ label }) => label), ["Milk"]);
    assert.deepEqual(await queue.waiting("ada", "home"), []);
  },
  "a new place gives its id to what is kept in it": async () => {
    for (const [status, body] of [[201, { locationId: "real" }], [409, { existing: { locationId: "real" } }]]) {
      const { queue, asked } = queueOf((path) => (path.endsWith("/locations") ? { status, body } : { status: 201, body: {} }));
      const { locationId, draft } = makingPlace("Cellar");
      await queue.add({ ...OWN, ...draft });
      await queue.add({ ...OWN, ...addingItems([{ ...MILK, locationId }, BREAD]) });
      await queue.flush("ada");
      assert.deepEqual(asked.map(({ path }) => path), ["/api/v1/locations", "/api/v1/items/batch"]);
      assert.deepEqual(asked[1].body.items, [{ ...MILK, locationId: "real" }, BREAD]);
      assert.deepEqual(await queue.waiting("ada", "home"), []);
    }
  },
  "one that cannot be made leaves its things somewhere": async () => {
    const { queue, asked } = queueOf((path, { length }) =>
      path.endsWith("/locations") ? { status: 422, body: {} } : { status: length < 3 ? 404 : 201, body: {} });
    const { locationId, draft } = makingPlace("Cellar");
    await queue.add({ ...OWN, ...draft });
    await queue.add({ ...OWN, ...addingItems([{ ...MILK, locationId }]) });
    await queue.flush("ada");
    assert.deepEqual(asked.at(-1).body.items, [MILK]);
    assert.deepEqual((await queue.lost("ada", "home")).map(({ label }) => label), ["Cellar"]);
  },
  "after a day a place is made again, and found if it is there": () => {
    const { draft } = makingPlace("Cellar");
    assert.deepEqual(verdict(draft, { status: 0, body: null, isLate: true }), { look: "/api/v1/locations" });
    assert.deepEqual(verdict(draft, { status: 200, body: { items: [] }, isLate: true }), { again: {} });
  },
  "an answer that got lost is asked for again under the same key": async () => {
    const { queue, asked } = queueOf((_, { length }) => ({ status: length === 1 ? 0 : 201, body: {} }));
    await queue.add({ ...OWN, ...added });
    await queue.flush("ada");
    await queue.add({ ...OWN, ...addingItems(many(2)) });
    await queue.flush("ada");
    assert.deepEqual(asked.map(({ body }) => body.items.length), [2, 2, 2]);
    assert.equal(asked[0].key, asked[1].key);
    assert.notEqual(asked[1].key, asked[2].key);
  },
});
