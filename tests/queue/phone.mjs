// A phone: the modules that ship, what survives in its memory, and a line that loses things.

const HOPS = 12; // more than any program of ours makes between two steps

/** What waits to happen, of all phones: the world says what is next. */
export class Steps {
  waiting = [];

  /** Where somebody may be interrupted, for ever if their program ends. */
  step(phone) {
    const { life } = phone;
    return new Promise((resume) => this.waiting.push({ phone, life, resume }));
  }

  async next(chance) {
    this.waiting = this.waiting.filter(({ phone, life }) => phone.life === life);
    if (!this.waiting.length) {
      await new Promise(setImmediate);
      return false;
    }
    const [one] = this.waiting.splice(chance.below(this.waiting.length), 1);
    one.resume();
    for (let i = 0; i < HOPS; i++) await null;
    return true;
  }
}

export class Phone {
  isOnline = true;
  /** One more after each restart. */
  life = 0;
  sending = 0;
  /** The highest version of each entry that was kept; null once it was gone. */
  versions = new Map();
  kept = null;

  constructor(modules, who, world) {
    const { MemoryStore, Queue, kinds } = modules;
    this.modules = modules;
    this.who = who;
    this.world = world;
    this.memory = new MemoryStore();
    this.thing = [who, "home", "list"];
    this.person = new Queue({ store: this.memory, kinds, send: async () => null, now: async () => null });
    this.start();
  }

  /** The program begins anew; what was on its way is not waited for any more. */
  start() {
    const { Queue, kinds } = this.modules;
    this.life += 1;
    this.sending = 0;
    const step = () => this.world.steps.step(this);
    const store = {
      changes: async () => (await step(), this.memory.changes()),
      update: async (rule, thing) => {
        await step();
        const result = await this.memory.update(rule, thing);
        await step();
        return result;
      },
    };
    const now = async () => (await step(), this.isOnline ? this.world.time() : null);
    this.sender = new Queue({ store, kinds, now, send: (change) => this.send(change, step) });
  }

  async send(change, step) {
    const { chance, later } = this.world;
    const fate = chance.next() * this.world.trouble;
    const copy = structuredClone(change);
    await step();
    if (!this.isOnline || (fate > 0 && fate < 0.1)) return { status: 0, body: null };
    if (fate > 0.1 && fate < 0.15) return { status: chance.of([500, 503, 429]), body: null };
    if (fate > 0.15 && fate < 0.2) {
      later.push(copy); // it arrives when nobody waits for it any more
      return { status: 0, body: null };
    }
    await this.world.arriveAll(this.who, copy.key); // what left earlier arrives earlier
    const answer = structuredClone(await this.world.act(copy));
    if (fate > 0.2 && fate < 0.3 && answer.status < 300) later.push(copy); // it arrives twice
    await step();
    return fate > 0.3 && fate < 0.45 ? { status: 0, body: null } : answer;
  }

  /** Two at once where the browser has no locks. */
  async flush() {
    if (this.sending > 1) return;
    const { life } = this;
    this.sending += 1;
    await this.sender.flush(this.who);
    if (life === this.life) this.sending -= 1;
  }

  async renew() {
    if (!this.isOnline) return;
    const { life } = this;
    const step = () => this.world.steps.step(this);
    const read = async () => {
      await step();
      const list = structuredClone(await this.world.list());
      await step();
      return life === this.life ? list : undefined;
    };
    await this.modules.refreshValue(this.memory, this.thing, read);
  }

  add(draft) {
    return this.person.add({ who: this.who, family: "home", ...draft });
  }

  waiting() {
    return this.person.waiting(this.who, "home");
  }

  lost() {
    return this.person.lost(this.who, "home");
  }

  /** What the server told earlier never takes the place of what it told later. */
  async goesBack() {
    const { value } = await this.memory.thing(this.thing);
    if (value === this.kept) return undefined;
    this.kept = value;
    const entries = value?.entries ?? [];
    const back = entries.find(({ shoppingItemId: id, version }) => {
      const known = this.versions.get(id);
      return known === null || version < known;
    });
    for (const id of this.versions.keys()) this.versions.set(id, null);
    for (const { shoppingItemId, version } of entries) this.versions.set(shoppingItemId, version);
    return back;
  }

  /** What the person sees. */
  async shown() {
    const { value } = await this.memory.thing(this.thing);
    return this.modules.applyChanges(value ?? { at: "", entries: [], stores: [], usual: [] }, await this.waiting());
  }
}
