// `node sending_rules.mjs SCRIPTS`: when the queue says that something changed, and what it asks the server.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);
await load("queue/all-kinds");
const [{ kinds }, { Queue }, { MemoryStore }] = await Promise.all(
  ["queue/kinds", "queue/queue", "queue/memory-store"].map(load),
);
const { draftAddition, draftPutAway, draftTick } = await load("shopping/changes");
const { addItemsDraft, adjustItemDraft, addPlaceDraft, removeItemDraft } = await load("taking/changes");
const OWN = { who: "ada", family: "home" };
const MILK = { shoppingItemId: "e1", name: "Milk", status: "pending", version: 3 };
const THING = { itemId: "i1", name: "Milk", quantity: 2 };
const CODED = ["i1", "i2"].map((itemId) => ({ ...THING, itemId, barcodes: ["96385074"] }));
const [THEN, DAYS_LATER] = ["2026-11-16T09:00:00.000Z", "2026-11-18T09:00:00.000Z"];
const LIST = ["ada", "home", "list"];
const tick = { ...OWN, ...draftTick(MILK, "purchased") };
const OK = { status: 200, body: { ...MILK, status: "purchased", version: 4 } };

/** A store that takes its time, so that nothing may go on before it is done. */
class SlowStore extends MemoryStore {
  updates = 0;

  async update(rule, thing) {
    await new Promise((done) => setTimeout(done));
    const result = await super.update(rule, thing);
    this.updates += 1;
    return result;
  }
}

/** A queue, what it asked the server, and how many updates were done when it told that something changed. */
function queueOf(answer, { now = async () => THEN, store = new SlowStore() } = {}) {
  const [asked, told] = [[], []];
  const send = async (change) => (asked.push(change), answer(change, asked));
  const tell = (family) => told.push([family, store.updates]);
  return { queue: new Queue({ store, kinds, send, now, tell }), asked, told, store };
}

async function settledLate(draft, answer) {
  let time = THEN;
  const all = queueOf((_, { length }) => (length === 1 ? { status: 0, body: null } : answer), { now: async () => time });
  await all.queue.add({ ...OWN, ...draft });
  await all.queue.flush("ada");
  time = DAYS_LATER;
  await all.queue.flush("ada");
  return all;
}

await hold({
  "each stored step is announced to its family": async () => {
    const { queue, told } = queueOf(() => ({ status: 404, body: {} }));
    await queue.add(tick, { ...tick, about: "e2" });
    assert.deepEqual(told.splice(0), [["home", 1]]);
    const [first] = await queue.waiting("ada", "home");
    assert.equal(await queue.withdraw(first), true);
    assert.deepEqual(told.splice(0), [["home", 2]]);
    await queue.flush("ada");
    assert.deepEqual(told.splice(0), [["home", 4]]);
    await queue.dismiss((await queue.lost("ada", "home"))[0]);
    assert.deepEqual(told.splice(0), [["home", 5]]);
  },
  "a decision is stored and announced": async () => {
    const { queue, told } = queueOf(() => OK);
    await queue.add(tick);
    const [change] = await queue.waiting("ada", "home");
    await queue.answer(change, { drop: true });
    assert.deepEqual([await queue.waiting("ada", "home"), told], [[], [["home", 1], ["home", 2]]]);
  },
  "flush is done when nothing is left, not without server time": async () => {
    const { queue, asked } = queueOf(() => OK, { now: async () => null });
    assert.deepEqual(await queue.flush("ada"), { isDone: true });
    await queue.add(tick);
    assert.deepEqual([await queue.flush("ada"), asked], [{ isDone: false }, []]);
    assert.equal((await queue.waiting("ada", "home"))[0].sent, null);
  },
  "a change taken by another page is not sent": async () => {
    const store = new SlowStore();
    const now = async () => (await store.update(() => ({ changes: [] })), THEN);
    const { queue, asked } = queueOf(() => OK, { now, store });
    await queue.add(tick);
    assert.deepEqual([await queue.flush("ada"), asked], [{ isDone: true }, []]);
  },
  "an expired session blocks its user, a locked list only itself": async () => {
    const { queue, asked } = queueOf(() => ({ status: 401, body: {} }));
    const nobody = { ...tick, who: "", family: "" };
    await queue.add(tick, { ...tick, about: "e2" }, nobody, { ...nobody, about: "e2" });
    await queue.flush("ada");
    assert.deepEqual(asked.map(({ who, about }) => [who, about]), [["ada", "e1"], ["", "e1"], ["", "e2"]]);
  },
  "an unknown kind is judged by status": async () => {
    const { queue } = queueOf(() => ({ status: 404, body: {} }));
    await queue.add({ ...tick, kind: "entry.from-later" });
    await queue.flush("ada");
    assert.equal((await queue.lost("ada", "home"))[0].over.code, "deleted");
  },
  "the server's record updates the cached list once": async () => {
    const { queue, store } = queueOf(() => OK);
    await queue.add(tick);
    await queue.flush("ada");
    assert.equal((await store.thing(LIST)).value, null);
    await store.keep(LIST, { entries: [MILK] }, 0);
    await queue.add(tick);
    const [change] = await queue.waiting("ada", "home");
    await queue.flush("ada");
    assert.equal((await store.thing(LIST)).value.entries[0].version, 4);
    await queue.answer(change, { done: { ...MILK, version: 9 } });
    assert.equal((await store.thing(LIST)).value.entries[0].version, 4);
  },
  "deletions and conflicts update the cached list, waiting does not": async () => {
    for (const [answer, versions] of [
      [{ status: 404, body: {} }, []],
      [{ status: 409, body: { current: { ...MILK, version: 7, status: "purchased", putAwayAt: THEN } } }, [7]],
      [{ status: 422, body: {} }, [3]],
    ]) {
      const { queue, store } = queueOf(() => answer);
      await store.keep(LIST, { entries: [MILK] }, 0);
      await queue.add({ ...OWN, ...draftTick(MILK, "pending") });
      await queue.flush("ada");
      assert.deepEqual((await store.thing(LIST)).value.entries.map(({ version }) => version), versions);
    }
  },
  "after a day a change is looked up by GET and asks if unknown": async () => {
    const looked = await settledLate(draftPutAway(MILK), { status: 200, body: { ...MILK, putAwayAt: THEN } });
    const { method, path, body } = looked.asked[1];
    assert.deepEqual([method, path, body], ["GET", "/api/v1/shopping-list/e1", null]);
    assert.deepEqual(await looked.queue.waiting("ada", "home"), []);
    const adjust = { kind: "item.adjust", about: "i1", label: "Rice", method: "POST", path: "/i1", body: {}, seen: null };
    const unknown = await settledLate(adjust, OK);
    assert.equal(unknown.asked.length, 1);
    assert.equal((await unknown.queue.waiting("ada", "home"))[0].question.code, "late");
  },
  "a duplicate asks once": async () => {
    const draft = draftAddition({ shoppingItemId: "e9", name: "Milk" });
    const { queue, asked } = queueOf(() => ({ status: 409, body: { existing: MILK } }));
    await queue.add({ ...OWN, ...draft });
    await queue.flush("ada");
    await queue.flush("ada");
    assert.equal(asked.length, 1);
    assert.equal((await queue.waiting("ada", "home"))[0].question.code, "there");
  },
  "items with a used barcode are refused in a batch and counted alone": () => {
    const existing = { itemId: "other" };
    const verdict = (draft, answer) => kinds[draft.kind].verdict({ ...OWN, ...draft }, { body: {}, ...answer });
    const refused = { status: 409, body: { code: "duplicate", existing } };
    assert.equal(verdict(addItemsDraft(CODED), refused).gone.code, "duplicate");
    assert.equal(verdict(addItemsDraft([CODED[0]]), refused).again.body.delta, 2);
    assert.equal(verdict(addItemsDraft([THING]), { status: 409, body: { code: "full" } }).gone.code, "full");
    assert.equal(verdict(addItemsDraft([THING]), { status: 403, isLate: true }).gone.code, "forbidden");
    assert.equal(verdict(adjustItemDraft(THING, 1), { status: 200 }).done !== undefined, true);
    assert.equal(verdict(addPlaceDraft("Attic").draft, { status: 403, isLate: true }).gone.code, "forbidden");
    assert.deepEqual(verdict(removeItemDraft(THING), { status: 200, isLate: true }), { done: null });
  },
  "independent changes continue after a lost one": () => {
    for (const draft of [addItemsDraft([THING]), adjustItemDraft(THING, 1), removeItemDraft(THING), addPlaceDraft("Attic").draft])
      assert.equal(kinds[draft.kind].isIndependent, true, draft.kind);
  },
});
