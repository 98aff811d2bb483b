// The server itself, behind the same few questions as the model of it.
const MINUTE = 60_000;

export class RealServer {
  step = 0;
  made = new Map();
  past = new Map();
  entries = new Map();
  stock = new Map();
  isReal = true;

  /** @param {{url: string, tokens: Record<string, string>, items: string[]}} known */
  constructor({ url, tokens, items }) {
    Object.assign(this, { url, tokens, items });
  }

  get now() {
    return new Date(performance.timeOrigin + performance.now()).toISOString();
  }

  async act({ who, method, path, key, body }) {
    const headers = { Authorization: `Bearer ${this.tokens[who]}`, "Content-Type": "application/json" };
    if (method === "POST" || method === "PATCH") headers["Idempotency-Key"] = key;
    const sent = body && { body: JSON.stringify(body) };
    const answer = await fetch(this.url + path, { method, headers, signal: AbortSignal.timeout(MINUTE), ...sent });
    const text = await answer.text();
    const found = { status: answer.status, body: text ? JSON.parse(text) : null };
    if (found.status === 201) this.made.set(found.body.shoppingItemId, 1);
    return found;
  }

  async list() {
    const entries = [];
    for (let next = ""; next !== undefined; ) {
      const path = `/api/v1/shopping-list?limit=100${next && `&nextToken=${encodeURIComponent(next)}`}`;
      const { body } = await this.act({ who: "ada", method: "GET", path });
      entries.push(...body.items.map((entry) => ({ ...entry, picture: "" })));
      next = body.nextToken;
    }
    return { at: this.now, entries, stores: [], usual: [] };
  }

  /** As it is in the end. */
  async look() {
    for (const entry of (await this.list()).entries) this.entries.set(entry.shoppingItemId, entry);
    for (const item of this.items) {
      const { body } = await this.act({ who: "ada", method: "GET", path: `/api/v1/items/${item}` });
      this.stock.set(item, body.quantity - MANY);
    }
  }

  /** What it was meanwhile it does not say. */
  hadSince() {
    return true;
  }
}

/** So many of each item are there in the beginning, so that none runs out. */
export const MANY = 1000;
