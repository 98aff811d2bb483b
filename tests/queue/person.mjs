// What somebody does with a phone, and what may be expected to come of it.
const FIELDS = ["name", "quantity", "notes"];
const AWAY = "whenever"; // a phone knows that, before the server says when

export class Person {
  /** What they meant, by entry and by what of it. */
  meant = new Map();
  adjusted = new Map();
  removed = new Set();
  putAway = [];
  added = new Map();
  /** Every value that they were shown, or chose, by entry and field. */
  known = new Map();
  /** Entries of others that they took for their own. */
  joined = new Set();

  constructor(phone, chance, world) {
    Object.assign(this, { phone, chance, world, who: phone.who });
  }

  async act() {
    const { chance, phone } = this;
    const { draftAddition, draftTick, draftEdit, draftRemoval, draftPutAway, draftTakeBack } = phone.modules;
    const { entries } = await phone.shown();
    const entry = entries.length && chance.of(entries);
    const what = chance.below(entry ? 13 : 3);
    if (what === 0) return this.adjust();
    if (what <= 2) return this.add(draftAddition);
    if (what <= 7) {
      const status = entry.status === "pending" ? "purchased" : "pending";
      this.mean(entry.shoppingItemId, "status", status, entry.status);
      this.learn(entry.shoppingItemId, "putAwayAt", entry.putAwayAt && AWAY);
      return phone.add(draftTick(entry, status));
    }
    if (what <= 10) {
      const names = FIELDS.filter(() => chance.happens(0.4));
      const fields = Object.fromEntries(names.map((name) => [name, this.value(name)]));
      for (const [name, value] of Object.entries(fields)) this.mean(entry.shoppingItemId, name, value, entry[name]);
      return Object.keys(fields).length && phone.add(draftEdit(entry, fields));
    }
    if (what === 11 && entry.status === "purchased" && !this.world.server.isReal) {
      if (!entry.putAwayAt) this.putAway.push(entry.shoppingItemId);
      return phone.add(entry.putAwayAt ? draftTakeBack(entry) : draftPutAway(entry));
    }
    if (what === 12) {
      this.removed.add(entry.shoppingItemId);
      return phone.add(draftRemoval(entry));
    }
  }

  async add(draftAddition) {
    const { world, chance } = this;
    const shoppingItemId = world.newId();
    const itemId = chance.happens(0.5) ? chance.of(world.server.items) : null;
    this.added.set(shoppingItemId, "kept");
    await this.phone.add(draftAddition({ shoppingItemId, itemId, name: itemId ?? world.newWord() }));
  }

  async adjust() {
    const [about, delta] = [this.chance.of(this.world.server.items), this.chance.of([-2, -1, 1, 2])];
    this.adjusted.set(about, (this.adjusted.get(about) ?? 0) + delta);
    const path = `/api/v1/items/${about}/adjust`;
    const adjusting = { kind: "item.adjust", about, label: about, method: "POST", path };
    await this.phone.add({ ...adjusting, body: { delta }, seen: null });
  }

  value(name) {
    return name === "quantity" ? 1 + this.chance.below(1000) : this.world.newWord();
  }

  mean(id, what, value, seen) {
    this.meant.set(`${id} ${what}`, { id, what, value, step: this.world.step() });
    this.learn(id, what, value);
    this.learn(id, what, seen ?? null);
  }

  learn(id, what, value) {
    const key = `${id} ${what}`;
    this.known.set(key, (this.known.get(key) ?? new Set()).add(value));
  }

  /** Whether they knew what they replace. */
  knew(id, what, old) {
    return this.known.get(`${id} ${what}`)?.has(what === "putAwayAt" ? AWAY : old);
  }

  /** Decide all that is asked. Returns whether there was anything. */
  async decide() {
    const asked = (await this.phone.waiting()).filter(({ question }) => question);
    for (const change of asked) await this.phone.person.answer(change, await this.decided(change));
    return asked.length > 0;
  }

  async decided(change) {
    const { chance, world } = this;
    const { confirmChange, keepMine, increaseQuantity, keepExisting } = this.phone.modules;
    const { about, question, body, kind } = change;
    const shown = question.current ?? question.existing;
    for (const name of shown ? FIELDS : []) this.learn(shown.shoppingItemId, name, shown[name]);
    if (shown) this.learn(shown.shoppingItemId, "putAwayAt", shown.putAwayAt && AWAY);
    switch (question.code) {
      case "there": {
        world.check(question.existing.shoppingItemId !== about, "asked whether to add what it added itself", change);
        if (chance.happens(0.3)) return confirmChange(change);
        this.added.set(about, "declined");
        const { shoppingItemId, quantity } = question.existing;
        this.joined.add(shoppingItemId);
        this.move(about, shoppingItemId, body);
        this.removed.add(about);
        if (chance.happens(0.5)) return keepExisting(change);
        this.mean(shoppingItemId, "quantity", (quantity ?? 1) + 1, quantity);
        return increaseQuantity(change, (quantity ?? 1) + 1);
      }
      case "putAway":
        world.check(question.current.putAwayAt, "asked about what was not put away", change);
        if (chance.happens(0.5)) return confirmChange(change);
        this.meant.delete(`${about} status`);
        return { drop: true };
      case "both": {
        const mine = question.fields.filter(() => chance.happens(0.5));
        for (const name of question.fields) {
          const key = `${about} ${name}`;
          world.check(!this.isOwn(question.current, name), `asked about ${this.who}'s own edit`, change);
          if (!mine.includes(name)) this.meant.delete(key);
        }
        return keepMine(change, mine);
      }
      case "late":
        return this.decidedLate(change);
      case "notBought":
        return { drop: true };
    }
    world.check(false, `asked for no reason (${kind} ${question.code})`, change);
  }

  /** They look whether it was done. */
  async decidedLate(change) {
    const { about, key, kind } = change;
    const isDone = kind === "entry.add" ? this.world.wasMade(about) : this.world.wasDone(key);
    if (!isDone) return this.phone.modules.confirmChange(change);
    if (!this.world.server.entries.has(about)) this.forget(about);
    return { drop: true };
  }

  /** It was there and somebody removed it: what they meant for it goes with it. */
  forget(id) {
    for (const [key, op] of [...this.meant]) if (op.id === id) this.meant.delete(key);
  }

  /** Where several of their own became one, these may well differ. */
  isOwn({ shoppingItemId: id, ...current }, name) {
    return current[name] === this.meant.get(`${id} ${name}`)?.value && !this.joined.has(id);
  }

  /** What they meant for their own entry is meant for the one that was there. */
  move(from, to, body) {
    for (const [key, op] of [...this.meant]) {
      if (op.id !== from) continue;
      this.meant.delete(key);
      if (body[op.what] !== op.value) this.mean(to, op.what, op.value, op.value);
    }
    for (const what of [...FIELDS, "putAwayAt"])
      for (const value of this.known.get(`${from} ${what}`) ?? []) this.learn(to, what, value);
    this.putAway = this.putAway.map((id) => (id === from ? to : id));
    if (this.removed.delete(from)) this.removed.add(to);
  }
}
