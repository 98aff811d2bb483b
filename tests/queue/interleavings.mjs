// `node interleavings.mjs SCRIPTS SEED TIMES [SERVER]`: two phones without a signal and a server, in thousands of
// orders; or a real server, which is described by JSON, in one long one.
// Whatever is lost, doubled, delayed or started anew: in the end both phones show what the server has,
// everything that was kept came of something, and nothing happened twice.
import { Chance } from "./chance.mjs";
import { Person } from "./person.mjs";
import { Phone, Steps } from "./phone.mjs";
import { RealServer } from "./real_server.mjs";
import { Server } from "./server.mjs";

const LIST = "/api/v1/shopping-list";
const HOUR = 3600 * 1000;
const STEPS = 80;
const MOST_STEPS = 10_000;
const STEPS_OF_A_REAL_ONE = 300;
const [, , scripts, seed, times, real] = process.argv;

async function load() {
  await import(`${scripts}/queue/all-kinds.js`);
  const names = ["queue", "memory-store", "kinds", "refresh"].map((name) => `queue/${name}`);
  names.push(...["pending-view", "changes", "conflict-answers"].map((name) => `shopping/${name}`));
  return Object.assign({}, ...(await Promise.all(names.map((name) => import(`${scripts}/${name}.js`)))));
}

class World {
  steps = new Steps();
  later = [];
  trouble = 1;
  #ids = 0;

  constructor(modules, number, server) {
    this.number = number;
    this.server = server;
    this.chance = new Chance(number);
    const phones = ["ada", "bob"].map((who) => new Phone(modules, who, this));
    this.people = phones.map((phone) => new Person(phone, this.chance, this));
    server.onChange = (change, old) => this.#mayChange(change, old);
  }

  newId() {
    return this.server.isReal ? crypto.randomUUID() : `entry${++this.#ids}`;
  }

  newWord() {
    return `word${++this.#ids}`;
  }

  time() {
    return this.server.now;
  }

  step() {
    return this.server.step;
  }

  act(request) {
    return this.server.act(request);
  }

  list() {
    return this.server.list();
  }

  wasMade(id) {
    return this.server.made.has(id);
  }

  wasDone(key) {
    return this.server.done.has(key);
  }

  check(isSo, what, about) {
    if (isSo) return;
    console.log(`scenario ${this.number}: ${what}\n${JSON.stringify(about, null, 1)}`);
    process.exit(1);
  }

  async run() {
    const { server } = this;
    for (const itemId of [server.items[0], undefined])
      await server.act({ who: "ada", method: "POST", path: LIST, key: this.newId(), body: this.#first(itemId) });
    for (const { phone } of this.people) await phone.memory.keep(phone.thing, await server.list(), 0);
    for (let i = 0; i < (server.isReal ? STEPS_OF_A_REAL_ONE : STEPS); i++) {
      await this.#something();
      if (server.isReal) await new Promise(setImmediate);
      for (const { phone, who } of this.people) {
        const back = await phone.goesBack();
        this.check(!back, `${who}'s list goes back`, back);
      }
    }
    await this.#settle();
    await this.#compare();
  }

  #first(itemId) {
    return { shoppingItemId: this.newId(), name: this.newWord(), ...(itemId && { itemId }) };
  }

  async #something() {
    const { chance } = this;
    const person = chance.of(this.people);
    const { phone } = person;
    const what = chance.below(100);
    if (what < 50) return this.steps.next(chance);
    if (what < 68) return person.act();
    if (what < 78) return void phone.flush();
    if (what < 85) return void phone.renew();
    if (what < 88) return void (phone.isOnline = !phone.isOnline);
    if (what < 91) return phone.start();
    if (what < 94) return person.decide();
    if (what < 97) return this.#arrives(this.later[0]);
    if (!this.server.isReal) await this.#longAfter(chance.of([1, 5, 22, 25, 60]) * HOUR);
  }

  /** No line is that slow, and no request waits for so long. */
  async #longAfter(time) {
    await this.arriveAll();
    for (const { phone } of this.people) phone.start();
    this.server.time += time;
  }

  /** What was on its way for long, of one of them or of both; a second try may overtake the first. */
  async arriveAll(whose, key) {
    for (const request of [...this.later]) {
      const isOvertaken = request.key === key && this.chance.happens(0.5);
      if ((!whose || request.who === whose) && !isOvertaken) await this.#arrives(request);
    }
  }

  async #arrives(request) {
    if (!this.later.includes(request)) return;
    this.later.splice(this.later.indexOf(request), 1);
    await this.server.act(request);
  }

  /** The line is good, everybody waits, and answers what is asked. */
  async #settle() {
    this.trouble = 0;
    await this.arriveAll();
    for (let round = 0; ; round++) {
      this.check(round < 50, "it never ends", null);
      const isCalm = await this.#round();
      if (isCalm && (await this.#round())) return;
    }
  }

  async #round() {
    let isCalm = true;
    for (const person of this.people) {
      const { phone } = person;
      phone.isOnline = true;
      phone.start();
      let isDone = false;
      phone.flush().then(() => phone.renew()).then(() => (isDone = true));
      for (let step = 0; !isDone; step++) {
        const goesOn = (await this.steps.next(this.chance)) || this.server.isReal;
        this.check(step < MOST_STEPS || this.server.isReal, "a phone never stops sending", await phone.waiting());
        this.check(goesOn, "a phone is stuck", await phone.waiting());
      }
      if (await person.decide()) isCalm = false;
      if ((await phone.waiting()).length) isCalm = false;
    }
    return isCalm;
  }

  /** What somebody wrote or put away is not undone by one who did not know of it. A tick is. */
  #mayChange({ who, about, fields: { status, ...fields } }, old) {
    const person = this.people.find((each) => each.who === who);
    for (const [name, value] of Object.entries(fields)) {
      const isKnown = old[name] === value || person.knew(about, name, old[name]);
      this.check(isKnown, `${who} replaced a ${name} that nobody had shown them`, { fields, old });
    }
  }

  async #compare() {
    await this.server.look?.();
    const { entries, stock, made } = this.server;
    const there = [...entries.values()].map(plain).sort();
    for (const { phone, who } of this.people) {
      const seen = (await phone.shown()).entries.map(plain).sort();
      this.check(String(seen) === String(there), `${who} sees something else`, { there, seen });
      for (const { about, over } of await phone.lost()) {
        const isRemoved = !entries.has(about) && this.people.some(({ removed }) => removed.has(about));
        const isTaken = this.people.flatMap(({ putAway }) => putAway.filter((id) => id === about)).length > 1;
        const isRight = { deleted: isRemoved, alreadyAway: isTaken }[over.code];
        this.check(isRight, `${who} is told that something is gone`, { about, over });
      }
    }
    for (const [item, quantity] of stock) {
      const meant = this.people.reduce((sum, { adjusted }) => sum + (adjusted.get(item) ?? 0), 0);
      this.check(quantity === meant, `${quantity} ${item} instead of ${meant}`, null);
    }
    for (const [id, count] of made) this.check(count === 1, `${id} was made ${count} times`, null);
    for (const person of this.people) this.#cameTrue(person, await person.phone.lost());
  }

  #cameTrue({ who, added, removed, meant }, lost) {
    const { entries, made } = this.server;
    for (const [id, state] of added) {
      const isRight = state === "kept" ? made.has(id) || removed.has(id) : !entries.has(id);
      this.check(isRight, `what ${who} added is ${made.has(id) ? "" : "not "}there`, { id, state });
    }
    for (const id of removed) this.check(!entries.has(id), `what ${who} removed is there`, id);
    for (const { id, what, value, step } of meant.values()) {
      const isKnown = removed.has(id) || added.get(id) === "declined" || lost.some(({ about }) => about === id);
      const isRight = (!entries.has(id) && isKnown) || this.server.hadSince(id, step, (entry) => entry[what] === value);
      this.check(isRight, `${who} meant ${what} to be ${value}`, { id, past: this.server.past.get(id) });
    }
  }
}

function plain({ shoppingItemId, itemId, name, status, quantity, notes, putAwayAt, version }) {
  return JSON.stringify([shoppingItemId, itemId, name, status, quantity, notes, putAwayAt, version]);
}

Date.now = () => Date.UTC(1999, 11, 31) + Math.random() * 1e12; // a phone's clock says anything
const modules = await load();
const first = Number(seed);
const began = performance.now();
for (let number = first; number < first + Number(times); number++)
  await new World(modules, number, real ? new RealServer(JSON.parse(real)) : new Server()).run();
console.log(`${times} scenarios in ${Math.round(performance.now() - began)} ms`);
