// The list's API and the stock's counts, as far as a queue meets them, with a history of everything.
const DAY = 24 * 3600 * 1000;
const LIST = "/api/v1/shopping-list";

export class Server {
  time = Date.UTC(2026, 10, 16, 9);
  entries = new Map();
  stock = new Map([
    ["milk", 0],
    ["rice", 0],
  ]);
  items = [...this.stock.keys()];
  answers = new Map();
  /** What was really done, by key. */
  done = new Set();
  /** How often each entry was made. */
  made = new Map();
  /** Every state that an entry had, with the number of the step after which it had it. */
  past = new Map();
  step = 0;
  /** @type {(change: any, old: any) => void} before an edit or a tick is carried out */
  onChange = () => {};

  get now() {
    return new Date(this.time).toISOString();
  }

  /** At the same moment, in the same transaction: the change and the answer that is kept. */
  act(request) {
    const { who, method, path, key, body } = request;
    if (method === "GET") return this.answer(request);
    const name = `${who} ${method} ${path} ${key}`;
    const isKept = method === "POST" || method === "PATCH";
    const kept = isKept && this.answers.get(name);
    if (kept && this.time - kept.at < DAY) {
      return kept.content === JSON.stringify(body) ? kept.answer : refusal(409, "idempotency_mismatch");
    }
    this.step += 1;
    const answer = this.answer(request);
    if (answer.status < 300) {
      this.done.add(key);
      if (isKept) this.answers.set(name, { at: this.time, content: JSON.stringify(body), answer });
    }
    return answer;
  }

  answer({ who, method, path, body }) {
    const [, item] = path.match(/^\/api\/v1\/items\/(\w+)\/adjust$/) ?? [];
    if (item) {
      this.stock.set(item, this.stock.get(item) + body.delta);
      return { status: 200, body: { item: { quantity: this.stock.get(item) } } };
    }
    if (path === LIST) return this.add(who, body);
    const [id, what] = path.slice(LIST.length + 1).split("/");
    const entry = this.entries.get(id);
    if (!entry) return refusal(404, "not_found");
    if (method === "GET") return { status: 200, body: entry };
    if (method === "DELETE" && !what) return this.remove(id);
    if (what === "put-away") return this.away(entry, method, body);
    if (entry.version !== body.version) return refusal(409, "version_conflict", { current: entry });
    const { version, ...fields } = what === "status" ? { ...body, ...ticked(body.status) } : body;
    if (fields.status === entry.status) return ok(entry);
    this.onChange({ who, about: id, fields }, entry);
    return this.becomes(entry, fields);
  }

  add(who, { shoppingItemId: id, itemId = null, name = itemId, quantity = null, notes = null, force = false }) {
    const there = [...this.entries.values()];
    const waits = there.find((each) => itemId && each.itemId === itemId && each.status === "pending");
    if (this.entries.has(id)) return refusal(409, "duplicate", { existing: this.entries.get(id) });
    if (waits && !force) return refusal(409, "duplicate", { existing: waits });
    const entry = { shoppingItemId: id, itemId, name, quantity, notes, storeId: null };
    this.made.set(id, (this.made.get(id) ?? 0) + 1);
    const answer = this.becomes({ ...entry, addedBy: who, version: 0, status: "pending", putAwayAt: null }, {});
    return { ...answer, status: 201 };
  }

  remove(id) {
    this.entries.delete(id);
    return { status: 204, body: null };
  }

  away(entry, method, { version }) {
    const isAway = entry.putAwayAt !== null;
    const isRight = entry.status === "purchased" && isAway !== (method === "POST");
    if (!isRight) return refusal(409, "wrong_state", { current: entry });
    if (entry.version !== version) return refusal(409, "version_conflict", { current: entry });
    const { body } = this.becomes(entry, { putAwayAt: isAway ? null : this.now });
    return { status: 200, body: { shoppingItem: body, item: null } };
  }

  becomes(old, fields) {
    const entry = { ...old, ...fields, version: old.version + 1 };
    this.entries.set(entry.shoppingItemId, entry);
    const past = this.past.get(entry.shoppingItemId) ?? [];
    this.past.set(entry.shoppingItemId, [...past, { step: this.step, entry }]);
    return ok(entry);
  }

  list() {
    const entries = [...this.entries.values()].map((entry) => ({ ...entry, picture: "" }));
    return { at: this.now, entries, stores: [], usual: [] };
  }

  /** Whether an entry was ever like this, then or since. */
  hadSince(id, step, isSo) {
    const past = this.past.get(id) ?? [];
    return past.some(({ entry }, i) => isSo(entry) && (past[i + 1]?.step ?? Infinity) >= step);
  }
}

function ticked(status) {
  return status === "pending" ? { status, putAwayAt: null } : { status };
}

function ok(body) {
  return { status: 200, body };
}

function refusal(status, code, more = {}) {
  return { status, body: { status, code, detail: code, ...more } };
}
