// `node page_rules.mjs SCRIPTS`: what a page does with the queue: when it sends, and which of two readings it shows.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/${name}.js`);

/** What the scripts need of a page. */
const page = new EventTarget();
Object.assign(globalThis, {
  self: {},
  document: Object.assign(page, { body: { dataset: {} }, documentElement: {}, querySelectorAll: () => [] }),
  addEventListener: page.addEventListener.bind(page),
});
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });

/** Pauses that end when a test says so. */
const pauses = new Map();
globalThis.setTimeout = (work, pause) => {
  pauses.set(pauses.size + 1, { work, pause });
  return pauses.size;
};
globalThis.clearTimeout = (number) => pauses.delete(number);

const [{ add }, { scheduleFlush }, { PendingChanges }] = await Promise.all(
  ["queue/api", "queue/scheduler", "queue/pending"].map(load),
);
const tick = (label) => ({
  ...{ who: "", family: "", kind: "share.tick", about: label, label, method: "PATCH", path: `/${label}` },
  ...{ body: { checked: true }, seen: null },
});

/** A server that answers changes with these, one after the other; shows what was asked. */
function serve(...answers) {
  const asked = [];
  globalThis.fetch = async (path, { method = "GET" }) => {
    if (method !== "GET") asked.push(path);
    const [status, retryAfter] = method === "GET" ? [200] : answers.shift();
    const headers = { "X-Request-Id": "1", Date: new Date().toUTCString(), ...(retryAfter && { "Retry-After": retryAfter }) };
    return new Response("{}", { status, headers });
  };
  return asked;
}

/** Those that hold up the next try. */
function waiting() {
  return [...pauses.values()].map(({ pause }) => pause);
}

async function endPauses() {
  const ended = [...pauses.values()];
  pauses.clear();
  for (const { work } of ended) work();
  await scheduleFlush();
}

await hold({
  "a tap omits cookies, a shared tick sends them": async () => {
    serve([200], [200]);
    const { fetch } = globalThis;
    const sent = [];
    globalThis.fetch = (path, request) => {
      if (request.method === "POST" || request.method === "PATCH") sent.push([path, request.credentials]);
      return fetch(path, request);
    };
    await add(tick("list"));
    await add({ ...tick("tag"), kind: "tap", method: "POST", body: { delta: -1 } });
    await scheduleFlush();
    assert.deepEqual(sent, [["/list", "same-origin"], ["/tag", "omit"]]);
  },
  "a pause requested by the server is not shortened": async () => {
    for (const status of [429, 503]) {
      const asked = serve([status, 7], [200], [200]);
      await add(tick("one"));
      await scheduleFlush();
      assert.deepEqual([asked, waiting()], [["/one"], [7000]]);
      await add(tick("two"));
      page.dispatchEvent(new Event("online"));
      await scheduleFlush();
      assert.deepEqual([asked, waiting()], [["/one"], [7000]]);
      await endPauses();
      assert.deepEqual([asked, waiting()], [["/one", "/one", "/two"], []]);
    }
  },
  "a pause of hours does not block other changes": async () => {
    const asked = serve([429, 3600], [200]);
    await add(tick("one"));
    await scheduleFlush();
    assert.deepEqual(waiting(), [3_600_000]);
    await scheduleFlush();
    assert.deepEqual([asked, waiting()], [["/one", "/one"], []]);
  },
  "a late reading does not replace a newer one": async () => {
    const readings = [];
    const readCached = () => new Promise((done) => readings.push(done));
    const pending = new PendingChanges(() => true, () => {}, { readCached });
    const reads = [pending.read(), pending.read()];
    readings[1]("newer");
    await reads[1];
    readings[0]("older");
    await reads[0];
    assert.equal(pending.cached, "newer");
  },
});
