// `node taking_rules.mjs SCRIPTS`: what was counted in a cupboard, on its way to the server.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);
const [{ kinds, loadKinds }, order, { Queue }, { MemoryStore }] = await Promise.all(
  ["queue/kinds", "queue/change-list", "queue/queue", "queue/memory-store"].map(load),
);
const drafts = await load("taking/changes");
const { addItemsDraft, adjustItemDraft, addPlaceDraft, removeItemDraft, MOST } = drafts;
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

const added = addItemsDraft([MILK, BREAD]);

await hold({
  "unsent items merge into one request": () => {
    const [one, ...more] = queued(addItemsDraft([MILK]), addItemsDraft([BREAD]));
    assert.deepEqual([ids(one), one.label, more], [["i1", "i2"], "Milk, Bread", []]);
  },
  "a request has at most a hundred items": () => {
    const found = queued(addItemsDraft(many(MOST - 1)), addItemsDraft([MILK]), addItemsDraft([BREAD]));
    assert.deepEqual(found.map((each) => ids(each).length), [MOST, 1]);
  },
  "items after a full request go into the next": () => {
    const after = queued(addItemsDraft(many(100)), addItemsDraft([MILK]), addItemsDraft([BREAD]));
    assert.deepEqual([MOST, ...after.map((each) => ids(each).length)], [100, 100, 2]);
    assert.deepEqual(queued(addItemsDraft(many(100)), addItemsDraft([MILK]), removeItemDraft(MILK)).map(({ label }) => label),
      ["Milk, Milk, Milk, …"]);
    assert.equal(addItemsDraft(many(3)).label, "Milk, Milk, Milk");
  },
  "a sent item is counted by its own merged change": () => {
    const counts = [adjustItemDraft(MILK, 1), adjustItemDraft(BEANS, 2), adjustItemDraft(BEANS, 3)];
    const found = queued(addItemsDraft([BREAD]), ...counts);
    assert.deepEqual(found.map(({ kind, body }) => [kind, body.delta]),
      [["stock.add", undefined], ["stock.count", 1], ["stock.count", 5]]);
  },
  "a deleted store is omitted": () => {
    const placed = { ...MILK, preferredStoreId: "s1" };
    assert.deepEqual(verdict(addItemsDraft([placed]), { status: 404, body: {} }), { again: { body: { items: [MILK] } } });
  },
  "items do not merge with a sent request": () => {
    const [first] = queued(addItemsDraft([MILK]));
    const found = order.joinDraft([{ ...first, sent: AT }], { ...OWN, ...addItemsDraft([BREAD]) }, kinds);
    assert.deepEqual(found.map(ids), [["i1"], ["i2"]]);
  },
  "a label names at most three items": () => {
    assert.equal(addItemsDraft(many(9)).label, "Milk, Milk, Milk, …");
  },
  "a count joins the unsent item": () => {
    const [one, ...more] = queued(added, adjustItemDraft(BREAD, 3), adjustItemDraft(BREAD, -1));
    assert.deepEqual([one.body.items.map(({ quantity }) => quantity), more], [[2, 3], []]);
  },
  "a count of a sent item follows it": () => {
    const [first] = queued(added);
    let changes = [{ ...first, sent: AT }];
    for (const delta of [1, 2]) changes = numbered(order.joinDraft(changes, { ...OWN, ...adjustItemDraft(MILK, delta) }, kinds));
    assert.deepEqual(changes.map(({ kind, body }) => [kind, body.delta]), [["stock.add", undefined], ["stock.count", 3]]);
    changes = order.joinDraft(changes, { ...OWN, ...adjustItemDraft(MILK, -3) }, kinds);
    assert.equal(changes.length, 1);
  },
  "each item has its own count": () => {
    const sent = queued(added).map((each) => ({ ...each, sent: AT }));
    const changes = [adjustItemDraft(MILK, 1), adjustItemDraft(BREAD, 1)].reduce(
      (all, draft) => numbered(order.joinDraft(all, { ...OWN, ...draft }, kinds)), sent);
    assert.equal(changes.length, 3);
  },
  "undo removes an unsent item": () => {
    const [one, ...more] = queued(added, removeItemDraft(MILK));
    assert.deepEqual([ids(one), one.label, more], [["i2"], "Bread", []]);
    assert.deepEqual(queued(added, removeItemDraft(MILK), removeItemDraft(BREAD)), []);
  },
  "undo of an item that may arrive sends a deletion": () => {
    const [first] = queued(added);
    for (const state of [{ sent: AT }, { isRepeated: true }]) {
      const found = order.joinDraft([{ ...first, ...state }], { ...OWN, ...removeItemDraft(MILK) }, kinds);
      assert.deepEqual(found.map(({ method }) => method), ["POST", "DELETE"]);
    }
  },
  "undo of a missing item is done": () => {
    assert.deepEqual(verdict(removeItemDraft(MILK), { status: 404, body: {} }), { done: null });
  },
  "an existing item with the same id means done": () => {
    const refused = { status: 409, body: { code: "duplicate", existing: MILK } };
    assert.deepEqual(verdict(added, refused), { again: { body: { items: [BREAD] } } });
    assert.deepEqual(verdict(addItemsDraft([MILK]), refused), { done: null });
  },
  "an item with the same barcode is counted instead": () => {
    const refused = { status: 409, body: { code: "duplicate", existing: { ...MILK, itemId: "other" } } };
    const { again } = verdict(addItemsDraft([BEANS]), refused);
    assert.deepEqual([again.kind, again.about, again.path, again.body],
      ["item.adjust", "other", "/api/v1/items/other/adjust", { delta: 4 }]);
  },
  "items with barcodes are sent alone": () => {
    assert.equal(queued(addItemsDraft([MILK]), addItemsDraft([BEANS]), addItemsDraft([BREAD])).length, 3);
  },
  "a deleted location is omitted": () => {
    const placed = { ...MILK, locationId: "l1", preferredStoreId: "s1" };
    assert.deepEqual(verdict(addItemsDraft([placed]), { status: 404, body: {} }), { again: { body: { items: [MILK] } } });
    assert.deepEqual(verdict(addItemsDraft([MILK]), { status: 404, body: {} }).gone.code, "deleted");
  },
  "after a day the first item is looked up": () => {
    assert.deepEqual(verdict(added, { status: 0, body: null, isLate: true }), { look: "/api/v1/items/i1" });
    assert.deepEqual(verdict(added, { status: 200, body: MILK, isLate: true }), { done: null });
    assert.deepEqual(verdict(added, { status: 404, body: {}, isLate: true }), { again: {} });
  },
  "a count of a day ago is lost and reported": () => {
    assert.deepEqual(verdict(adjustItemDraft(MILK, 1), { status: 0, body: null, isLate: true }), { gone: { code: "late" } });
  },
  "a refused change is reported and blocks nothing": async () => {
    const { queue, asked } = queueOf((path) => (path.endsWith("/adjust") ? { status: 422, body: { code: "item_unavailable" } }
      : { status: 201, body: { items: [] } }));
    const sent = { ...OWN, ...adjustItemDraft(MILK, 1) };
    await queue.add(sent);
    await queue.add({ ...OWN, ...addItemsDraft([BREAD]) });
    await queue.flush("ada");
    assert.equal(asked.length, 2);
    assert.deepEqual((await queue.lost("ada", "home")).map(({ label }) => label), ["Milk"]);
    assert.deepEqual(await queue.waiting("ada", "home"), []);
  },
  "a new location passes its id to its items": async () => {
    for (const [status, body] of [[201, { locationId: "real" }], [409, { existing: { locationId: "real" } }]]) {
      const { queue, asked } = queueOf((path) => (path.endsWith("/locations") ? { status, body } : { status: 201, body: {} }));
      const { locationId, draft } = addPlaceDraft("Cellar");
      await queue.add({ ...OWN, ...draft });
      await queue.add({ ...OWN, ...addItemsDraft([{ ...MILK, locationId }, BREAD]) });
      await queue.flush("ada");
      assert.deepEqual(asked.map(({ path }) => path), ["/api/v1/locations", "/api/v1/items/batch"]);
      assert.deepEqual(asked[1].body.items, [{ ...MILK, locationId: "real" }, BREAD]);
      assert.deepEqual(await queue.waiting("ada", "home"), []);
    }
  },
  "items of a refused location have none": async () => {
    const { queue, asked } = queueOf((path, { length }) =>
      path.endsWith("/locations") ? { status: 422, body: {} } : { status: length < 3 ? 404 : 201, body: {} });
    const { locationId, draft } = addPlaceDraft("Cellar");
    await queue.add({ ...OWN, ...draft });
    await queue.add({ ...OWN, ...addItemsDraft([{ ...MILK, locationId }]) });
    await queue.flush("ada");
    assert.deepEqual(asked.at(-1).body.items, [MILK]);
    assert.deepEqual((await queue.lost("ada", "home")).map(({ label }) => label), ["Cellar"]);
  },
  "after a day a location is created again or found": () => {
    const { draft } = addPlaceDraft("Cellar");
    assert.deepEqual(verdict(draft, { status: 0, body: null, isLate: true }), { look: "/api/v1/locations" });
    assert.deepEqual(verdict(draft, { status: 200, body: { items: [] }, isLate: true }), { again: {} });
  },
  "a lost response is requested again with the same key": async () => {
    const { queue, asked } = queueOf((_, { length }) => ({ status: length === 1 ? 0 : 201, body: {} }));
    await queue.add({ ...OWN, ...added });
    await queue.flush("ada");
    await queue.add({ ...OWN, ...addItemsDraft(many(2)) });
    await queue.flush("ada");
    assert.deepEqual(asked.map(({ body }) => body.items.length), [2, 2, 2]);
    assert.equal(asked[0].key, asked[1].key);
    assert.notEqual(asked[1].key, asked[2].key);
  },
});
