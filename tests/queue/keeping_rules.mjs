// `node keeping_rules.mjs SCRIPTS`: what a queue keeps, sends and forgets, each with a server of its own.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);
await load("queue/all-kinds");
const [{ kinds }, { Queue }, { MemoryStore }] = await Promise.all(
  ["queue/kinds", "queue/queue", "queue/memory-store"].map(load),
);
const [{ refreshValue }, { draftTick, draftAddition }] = await Promise.all(["queue/refresh", "shopping/changes"].map(load));
const [{ store }, here] = await Promise.all(["queue/store", "queue/current-user"].map(load));
const OWN = { who: "ada", family: "home" };
const NOBODY = { who: "", family: "" };
const MILK = { shoppingItemId: "e1", name: "Milk", status: "pending", putAwayAt: null, storeId: null, version: 3 };
const BREAD = { ...MILK, shoppingItemId: "e2", name: "Bread" };
const AT = "2026-11-16T09:00:00.000Z";
const OK = { status: 200, body: MILK };
const tick = { ...OWN, ...draftTick(MILK, "purchased") };
const other = { ...OWN, ...draftTick(BREAD, "purchased") };
const shared = {
  ...{ ...NOBODY, kind: "share.tick", about: "r1", label: "Tent", method: "PATCH" },
  ...{ path: "/r1", body: { checked: true }, seen: null },
};

/** A queue whose server answers as it is told, and the paths that it was asked for. */
function queueOf(answer, store = new MemoryStore()) {
  const asked = [];
  const send = async (change) => (asked.push(change.path), answer(change));
  return { queue: new Queue({ store, kinds, send, now: async () => AT }), asked, store };
}

async function labels(queue, { who, family } = OWN) {
  return (await queue.waiting(who, family)).map(({ label }) => label);
}

await hold({
  "forgetting a user keeps the data of others and the current user": async () => {
    for (const who of ["ada", "bob", ""]) await store.keep([who, who && "home", "list"], [who], 0);
    await store.update((changes) => ({ changes: [...changes, { ...tick, n: 1 }, { ...shared, n: 2 }] }));
    await here.switchUser("bob");
    assert.deepEqual((await store.thing(["ada", "home", "list"])).value, null);
    await here.forgetUser("ada");
    assert.equal(await here.getCurrentUser(), "bob");
    assert.deepEqual((await store.changes()).map(({ label }) => label), ["Tent"]);
    const leaving = here.forgetUser("bob");
    await here.switchUser("ada");
    await leaving;
    assert.equal(await here.getCurrentUser(), "ada");
    assert.deepEqual((await store.thing(["bob", "home", "list"])).value, null);
    assert.deepEqual((await store.thing(["", "", "list"])).value, [""]);
  },
  "a journal entry is added once and as a whole": async () => {
    const { queue } = queueOf(() => OK);
    const count = { ...OWN, kind: "item.adjust", about: "i1", label: "Rice", method: "POST", path: "/i1", seen: null };
    const noted = { ...count, body: { delta: -1 }, note: "n1" };
    await queue.add(noted, noted, { ...tick, note: "n1" });
    await queue.add(noted, noted, { ...tick, note: "n1" });
    await queue.add({ ...count, body: { delta: -1 } });
    await queue.add({ ...noted, note: "n2" }, noted);
    const waits = await queue.waiting("ada", "home");
    assert.deepEqual(waits.map(({ label, body }) => [label, body.delta]), [["Rice", -4], ["Milk", undefined]]);
    assert.ok(waits.every((each) => !("note" in each)));
  },
  "a journaled change with a key keeps it and merges with nothing": async () => {
    const { queue } = queueOf(() => OK);
    const tap = { ...NOBODY, kind: "tap", about: "t1", label: "Tea", method: "POST", path: "/t1", seen: null };
    const press = { ...tap, body: { delta: 1, undo: false } };
    const noted = { ...press, note: "k1", key: "k1", sent: null, isRepeated: true, question: null, over: null };
    await queue.add(noted);
    await queue.add(noted);
    await queue.add(press);
    await queue.add(press);
    await queue.add({ ...noted, sent: AT });
    const waits = await queue.waiting("", "");
    assert.deepEqual(waits.map(({ body, sent }) => [body.delta, sent]), [[1, AT], [2, null]]);
    assert.equal(waits[0].key, "k1");
    assert.ok(waits.every((each) => !("note" in each)));
  },
  "only unsent changes can be withdrawn": async () => {
    const { queue } = queueOf(() => ({ status: 0, body: null }));
    await queue.add(tick);
    const [unsent] = await queue.waiting("ada", "home");
    await queue.flush("ada");
    assert.equal(await queue.withdraw(unsent), false);
    assert.deepEqual(await labels(queue), ["Milk"]);
    await queue.add(other);
    assert.equal(await queue.withdraw((await queue.waiting("ada", "home"))[1]), true);
    assert.deepEqual(await labels(queue), ["Milk"]);
  },
  "only lost changes can be dismissed": async () => {
    const { queue } = queueOf(() => ({ status: 404, body: {} }));
    await queue.add(tick);
    const [waits] = await queue.waiting("ada", "home");
    await queue.dismiss(waits);
    assert.deepEqual(await labels(queue), ["Milk"]);
    await queue.flush("ada");
    const [lost] = await queue.lost("ada", "home");
    assert.equal(lost.over.code, "deleted");
    await queue.dismiss(lost);
    assert.deepEqual([await labels(queue), await queue.lost("ada", "home")], [[], []]);
  },
  "a server error on one record does not block others": async () => {
    const { queue, asked } = queueOf(({ about }) => (about === "e1" ? { status: 500, body: null } : OK));
    await queue.add(tick);
    await queue.add(other);
    assert.deepEqual(await queue.flush("ada"), { isDone: false });
    assert.deepEqual([asked.length, await labels(queue)], [2, ["Milk"]]);
  },
  "a failed connection stops sending": async () => {
    const { queue, asked } = queueOf(() => ({ status: 503, body: null, retryAfter: 7 }));
    await queue.add(tick);
    await queue.add(other);
    assert.deepEqual(await queue.flush("ada"), { isDone: false, retryAfter: 7 });
    assert.equal(asked.length, 1);
  },
  "an expired session blocks no other user": async () => {
    const { queue, asked } = queueOf(({ who }) => (who ? { status: 401, body: {} } : OK));
    for (const draft of [tick, other, shared]) await queue.add(draft);
    await queue.flush("ada");
    assert.equal(asked.length, 2);
    assert.deepEqual([await labels(queue), await labels(queue, NOBODY)], [["Milk", "Bread"], []]);
  },
  "changes of another user are neither shown nor sent": async () => {
    const { queue, asked } = queueOf(() => OK);
    await queue.add(tick);
    await queue.flush("eve");
    assert.deepEqual([asked, await queue.waiting("eve", "home")], [[], []]);
    assert.deepEqual(await queue.waiting("ada", "elsewhere"), []);
  },
  "a tick on a locked shared list is lost with a reason": async () => {
    for (const [status, code] of [[401, "locked"], [403, "locked"], [404, "deleted"], [410, "ended"]]) {
      const { queue } = queueOf(() => ({ status, body: {} }));
      await queue.add(shared);
      await queue.flush("");
      assert.deepEqual((await queue.lost("", "")).map(({ over }) => over.code), [code]);
    }
  },
  "a refused tick on a shared list is lost without a question": async () => {
    const { queue } = queueOf(() => ({ status: 422, body: { code: "invalid" } }));
    await queue.add(shared);
    await queue.flush("");
    assert.deepEqual((await queue.lost("", "")).map(({ over }) => over.code), ["invalid"]);
  },
  "a cached value changes only with its last turn and is deleted with its user": async () => {
    const [store, thing] = [new MemoryStore(), ["ada", "home", "list"]];
    assert.deepEqual(await store.thing(thing), { value: null, turn: 0 });
    assert.deepEqual([await store.keep(thing, 1, 0), await store.keep(thing, 2, 0)], [true, false]);
    assert.deepEqual([await store.keep(thing, 3, 1), await store.thing(thing)], [true, { value: 3, turn: 2 }]);
    await store.update(() => ({ changes: [], value: 4 }), thing);
    assert.deepEqual(await store.thing(thing), { value: 4, turn: 3 });
    await store.update(() => ({ changes: [], value: 5 }), ["bob", "home", "list"]);
    assert.equal((await store.thing(["bob", "home", "list"])).turn, 1);
    await store.forget((who, _, what) => who === "ada" && what === "thing");
    assert.deepEqual([(await store.thing(thing)).value, (await store.thing(["bob", "home", "list"])).value], [null, 5]);
  },
  "a failed read is not cached": async () => {
    const [store, thing] = [new MemoryStore(), ["ada", "home", "list"]];
    assert.equal(await refreshValue(store, thing, async () => undefined), false);
    assert.deepEqual(await store.thing(thing), { value: null, turn: 0 });
    assert.equal(await refreshValue(store, thing, async () => 1), true);
  },
  "a response and the cached list are stored in one transaction": async () => {
    const { queue, store } = queueOf(() => ({ status: 200, body: { ...MILK, status: "purchased", version: 4 } }));
    const thing = ["ada", "home", "list"];
    await refreshValue(store, thing, async () => ({ at: AT, entries: [MILK], stores: [], usual: [] }));
    await queue.add(tick);
    await queue.flush("ada");
    assert.equal((await store.thing(thing)).value.entries[0].version, 4);
  },
  "a read that overlaps a response is repeated": async () => {
    const { queue, store } = queueOf(() => ({ status: 200, body: { ...MILK, version: 4 } }));
    const thing = ["ada", "home", "list"];
    await refreshValue(store, thing, async () => ({ entries: [MILK] }));
    await queue.add(tick);
    let readings = 0;
    await refreshValue(store, thing, async () => {
      readings += 1;
      if (readings === 1) await queue.flush("ada");
      return { entries: [{ ...MILK, version: 3 + readings }] };
    });
    assert.deepEqual([readings, (await store.thing(thing)).value.entries[0].version], [2, 5]);
  },
  "a cleared field joins an unsent addition of free text": async () => {
    const { queue } = queueOf(() => OK);
    await queue.add({ ...OWN, ...draftAddition({ shoppingItemId: "e3", name: "Rice", notes: "brown" }) });
    const path = "/api/v1/shopping-list/e3";
    const edit = { kind: "entry.edit", about: "e3", label: "Rice", method: "PATCH", path, seen: { notes: "brown" } };
    await queue.add({ ...OWN, ...edit, body: { notes: null, version: 1 } });
    const [one, ...more] = await queue.waiting("ada", "home");
    assert.deepEqual([one.kind, one.body.notes, more], ["entry.add", null, []]);
  },
});
