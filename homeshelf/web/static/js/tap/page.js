const PAUSE = 450;
const MOST = 20;
const ANSWERS_WITHIN = 8000;
const ANSWERS_KEPT = 23 * 3600 * 1000;
const DEAD = 404;
const STATUS = { [DEAD]: "ended", 429: "wait" };

const AWAY = 502; // and above: somebody in between has no signal
const IDLE = 1000;

/** @typedef {import("./keeping.js").Tap} Tap */

/**
 * `<tap-page>`: takes one when somebody really comes, and once only. Quick presses are joined into
 * one request, and every request has a key, so that sending it again does nothing twice. What nothing
 * is heard of goes to the queue; as long as something of the tag waits there, all else goes there too.
 */
class TapPage extends HTMLElement {
  /** Pressed, and still to be joined. */
  waiting = 0;
  timer = 0;
  /** Oldest first; each stays until it is answered, or kept. @type {Tap[]} */
  changes = [];
  /** What the queue keeps of this tag. @type {import("../queue/change.js").Change[]} */
  held = [];
  /** @type {import("./keeping.js").Keeping | null} */
  keeping = null;
  /** @type {Promise<void> | null} */
  loading = null;
  busy = false;
  stuck = false;
  over = false;

  connectedCallback() {
    this.number = /** @type {HTMLElement} */ (this.querySelector(".tap-count"));
    this.said = /** @type {HTMLElement} */ (this.querySelector(".tap-said"));
    this.again = /** @type {HTMLButtonElement} */ (this.querySelector(".tap-again"));
    this.again.addEventListener("click", () => this.next?.());
    this.querySelector("form")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.press(Number(/** @type {HTMLButtonElement} */ (event.submitter).value));
    });
    addEventListener("pagehide", () => this.leave());
    addEventListener("online", () => this.stuck && this.say("signal"));
    whenSeen().then(() => this.arrive());
  }

  /** A reload or the way back is no visit; one whose answer never came is asked about again. */
  arrive() {
    document.addEventListener("visibilitychange", () => (isSeen() ? this.lookAgain() : this.leave()));
    const kind = /** @type {PerformanceNavigationTiming} */ (performance.getEntriesByType("navigation")[0])?.type;
    const kept = history.state?.tap;
    if (kept ? kept.done : kind !== "navigate") {
      this.say("nothingMore");
      this.offerUndo();
      this.load();
      return;
    }
    const { key, at } = kept ?? { key: newKey(), at: Date.now() };
    keep({ key, at, done: false });
    this.changes.push({ delta: -1, undo: false, key });
    if (Date.now() - at < ANSWERS_KEPT) this.run().then(() => setTimeout(() => this.load(), IDLE));
    else this.stop("before");
  }

  /** What keeps taps, null where it cannot be had: it comes from the phone, or while there is a signal. */
  async load() {
    this.loading ??= import("./keeping.js").then(({ Keeping }) => (this.keeping = new Keeping(this)).open());
    await this.loading.catch(() => (this.loading = null));
    return this.keeping;
  }

  /** At 0 it is asked all the same: somebody may have brought more. @param {number} delta */
  press(delta) {
    if ((this.waiting || this.held.length) && this.shown + delta < 0) return;
    if (this.held.length) return void this.keeping?.press(delta);
    this.waiting += delta;
    this.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.run();
    }, PAUSE);
  }

  /** One after the other, what was joined meanwhile included. */
  async run() {
    if (this.busy || !(this.changes.length || this.waiting)) return;
    this.busy = true;
    this.stuck = false;
    this.offer("", null);
    while (true) {
      if (!this.changes.length && !this.timer) this.join();
      const [change] = this.changes;
      if (!change) break;
      this.show();
      if (this.held.length && (await this.hold())) break;
      const answer = await ask(this.dataset.tag ?? "", change);
      if (answer.ok) this.happened(answer.body, change);
      else if (answer.why === STATUS[DEAD]) this.end();
      else if (answer.why !== "noSignal" || !(await this.hold())) this.stop(answer.why);
      if (!answer.ok) break;
    }
    this.busy = false;
    this.show();
  }

  /** What was pressed becomes one change, or as many as it takes. */
  join() {
    while (this.waiting) {
      const delta = Math.max(-MOST, Math.min(MOST, this.waiting));
      this.waiting -= delta;
      this.changes.push({ delta, undo: false, key: newKey() });
    }
  }

  collect() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.join();
  }

  /** Nothing that was pressed waits for a page that may never be seen again. */
  leave() {
    if (this.stuck) return;
    this.collect();
    this.run();
    for (const change of this.changes.slice(1)) ask(this.dataset.tag ?? "", change);
    if (this.changes.length) this.keeping?.take(this.changes, this.at);
  }

  /** What was pressed stays on the phone. @returns {Promise<boolean>} whether it does */
  async hold() {
    const keeping = await this.load();
    this.collect();
    try {
      await keeping?.take(this.changes, this.at);
    } catch {
      return false;
    }
    if (!keeping) return false;
    this.changes = [];
    keep({ ...history.state?.tap, undo: null, done: true });
    return true;
  }

  /** @param {{quantity: number, applied: number, message: string}} body @param {Tap} change */
  happened(body, change) {
    this.changes.shift();
    this.dataset.count = String(body.quantity);
    this.say("happened", body);
    const undo = change.undo || !body.applied ? null : { delta: -body.applied, undo: true, key: newKey() };
    keep({ ...history.state?.tap, undo, done: true });
    this.offerUndo();
  }

  /** What was meant stays one button away. @param {string} why */
  stop(why) {
    this.collect();
    this.stuck = true;
    this.say(why);
    this.offerAgain(this.changes, () => this.run());
    this.show();
  }

  /** The tag is dead. */
  end() {
    this.changes = [];
    this.held = [];
    this.waiting = 0;
    this.over = true;
    this.say(STATUS[DEAD]);
    this.offer("", null);
    this.show();
  }

  /** Others may have been here while nobody looked at this page. @param {"meanwhile" | "sent"} why */
  async lookAgain(why = "meanwhile") {
    const answer = await call(this.dataset.tag ?? "").catch(() => null);
    if (this.busy || this.stuck || this.waiting || this.held.length) return;
    if (answer?.status === DEAD) this.end();
    if (!answer?.ok) return;
    const { quantity } = await answer.json();
    if ((quantity === this.count && why !== "sent") || this.busy || this.waiting) return;
    this.dataset.count = String(quantity);
    this.say(why, { count: quantity });
    this.offerUndo();
    this.show();
  }

  /** The server's time before anything that is not answered yet. */
  get at() {
    return new Date(Number(this.dataset.at) * 1000).toISOString();
  }

  get count() {
    return Number(this.dataset.count);
  }

  /** What it comes to, or what is known as long as nothing can be sent. */
  get shown() {
    const meant = this.stuck ? 0 : this.changes.reduce((sum, change) => sum + change.delta, this.waiting);
    const held = this.held.filter(({ key, question }) => !question && !this.changes.some((own) => own.key === key));
    return held.reduce((sum, { body }) => sum + body?.delta, this.count + meant);
  }

  show() {
    const { number } = this;
    if (!number) return;
    const shown = String(Math.max(0, this.shown));
    number.textContent = shown;
    number.dataset.digits = String(Math.min(5, shown.length));
    number.toggleAttribute("data-gone", shown === "0");
    number.toggleAttribute("data-waiting", this.busy || this.waiting !== 0 || this.held.length > 0);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.querySelectorAll("form button"))) {
      button.disabled = this.stuck || this.over;
    }
  }

  /** @param {string} key @param {Record<string, string | number>} [values] */
  say(key, values) {
    if (this.said) this.said.textContent = words(key, values);
  }

  offerUndo() {
    const { undo } = history.state?.tap ?? {};
    const sent = undo && (() => this.changes.push(undo) && this.run());
    this.offer(words("undo"), this.held.length ? (this.keeping?.wayBack ?? null) : sent);
  }

  /** @param {Pick<Tap, "delta" | "undo">[]} taps @param {() => void} next */
  offerAgain(taps, next) {
    this.offer(meant(taps), next);
  }

  /** One button for what one may want next. @param {string} word @param {(() => void) | null} next */
  offer(word, next) {
    this.next = next;
    if (!this.again) return;
    this.again.toggleAttribute("data-none", !next); // its room stays: nothing moves under a thumb
    this.again.textContent = word;
    this.again.classList.toggle("button-main", this.stuck);
  }
}

/** @param {string} tag @param {Tap} tap @returns {Promise<{ok: true, body: any} | {ok: false, why: string}>} */
async function ask(tag, tap) {
  const { delta, undo, key } = tap;
  if (!navigator.onLine) return { ok: false, why: "noSignal" };
  tap.isTried = true;
  try {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const answer = await call(tag, { method: "POST", headers, body: JSON.stringify({ delta, undo }), keepalive: true });
    if (answer.ok) return { ok: true, body: await answer.json() };
    const known = /** @type {Record<number, string>} */ (STATUS)[answer.status];
    return { ok: false, why: known ?? (answer.status < AWAY ? "failed" : "noSignal") };
  } catch {
    return { ok: false, why: "noSignal" };
  }
}

/**
 * Not by `api.js`: this page loads one script alone, and its second try is a button.
 * @param {string} tag @param {RequestInit} [request]
 */
function call(tag, request) {
  return fetch(`/api/v1/taps/${tag}`, { ...request, credentials: "omit", signal: AbortSignal.timeout(ANSWERS_WITHIN) });
}

/** Until somebody looks: what is prepared before that is no visit. */
async function whenSeen() {
  const prerendered = /** @type {any} */ (document);
  if (prerendered.prerendering) await once("prerenderingchange");
  while (!isSeen()) await once("visibilitychange");
}

function isSeen() {
  return document.visibilityState === "visible";
}

/** @param {string} kind */
function once(kind) {
  return new Promise((done) => document.addEventListener(kind, done, { once: true }));
}

/** With this visit, so that a reload finds it. @param {object} tap */
function keep(tap) {
  history.replaceState({ tap }, "");
}

/** What can be done now that could not be done before. @param {Pick<Tap, "delta" | "undo">[]} changes */
function meant(changes) {
  const sum = changes.reduce((total, { delta }) => total + delta, 0);
  if (changes.some(({ undo }) => undo) || !sum) return words(changes.length > 1 ? "tryAgain" : "undo");
  return words(sum < 0 ? "take" : "add", { count: Math.abs(sum) });
}

/**
 * Not by `words.js`: this page loads one script alone.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
function words(key, values = {}) {
  const text = document.getElementById("words")?.dataset[key] ?? "";
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

customElements.define("tap-page", TapPage);
