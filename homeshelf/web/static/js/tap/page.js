const PAUSE = 450;
const MOST = 20;
const ANSWERS_WITHIN = 8000;
const ANSWERS_KEPT = 23 * 3600 * 1000;
const DEAD = 404;
const STATUS = { [DEAD]: "ended", 429: "wait" };

/** @typedef {{delta: number, undo: boolean, key: string}} Change */

/**
 * `<tap-page>`: takes one when somebody really comes, and once only. Quick presses are joined into
 * one request, and every request has a key, so that sending it again does nothing twice.
 */
class TapPage extends HTMLElement {
  /** Pressed, and still to be joined. */
  waiting = 0;
  timer = 0;
  /** Oldest first; each stays until it is answered. @type {Change[]} */
  changes = [];
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
    addEventListener("online", () => this.stuck && this.say(words("signal")));
    whenSeen().then(() => this.arrive());
  }

  /** A reload or the way back is no visit; one whose answer never came is asked about again. */
  arrive() {
    document.addEventListener("visibilitychange", () => (isSeen() ? this.lookAgain() : this.leave()));
    const kind = /** @type {PerformanceNavigationTiming} */ (performance.getEntriesByType("navigation")[0])?.type;
    const kept = history.state?.tap;
    if (kept ? kept.done : kind !== "navigate") {
      this.say(words("nothingMore"));
      this.offerUndo();
      return;
    }
    const { key, at } = kept ?? { key: newKey(), at: Date.now() };
    keep({ key, at, done: false });
    this.changes.push({ delta: -1, undo: false, key });
    if (Date.now() - at < ANSWERS_KEPT) this.run();
    else this.stop(words("before"));
  }

  /** At 0 it is asked all the same: somebody may have brought more. @param {number} delta */
  press(delta) {
    if (this.waiting && this.shown + delta < 0) return;
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
      const answer = await ask(this.dataset.tag ?? "", change);
      if (answer.ok) this.happened(answer.body, change);
      else if (answer.isFinal) this.end(words(answer.why));
      else this.stop(words(answer.why));
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

  /** Nothing that was pressed waits for a page that may never be seen again. */
  leave() {
    if (this.stuck) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.join();
    this.run();
    for (const change of this.changes.slice(1)) ask(this.dataset.tag ?? "", change);
  }

  /** @param {{quantity: number, applied: number, message: string}} body @param {Change} change */
  happened(body, change) {
    this.changes.shift();
    this.dataset.count = String(body.quantity);
    this.say(words("happened", body));
    const undo = change.undo || !body.applied ? null : { delta: -body.applied, undo: true, key: newKey() };
    keep({ ...history.state?.tap, undo, done: true });
    this.offerUndo();
  }

  /** What was meant stays one button away. @param {string} text */
  stop(text) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.join();
    this.stuck = true;
    this.say(text);
    this.offer(meant(this.changes), () => this.run());
    this.show();
  }

  /** @param {string} text */
  end(text) {
    this.changes = [];
    this.waiting = 0;
    this.over = true;
    this.say(text);
    this.offer("", null);
    this.show();
  }

  /** Others may have been here while nobody looked at this page. */
  async lookAgain() {
    const answer = await call(this.dataset.tag ?? "").catch(() => null);
    if (this.busy || this.stuck || this.waiting) return;
    if (answer?.status === DEAD) this.end(words(STATUS[DEAD]));
    if (!answer?.ok) return;
    const { quantity } = await answer.json();
    if (quantity === this.count || this.busy || this.waiting) return;
    this.dataset.count = String(quantity);
    this.say(words("meanwhile"));
    this.show();
  }

  get count() {
    return Number(this.dataset.count);
  }

  /** What it comes to, or what is known as long as nothing can be sent. */
  get shown() {
    const meant = this.stuck ? 0 : this.changes.reduce((sum, change) => sum + change.delta, this.waiting);
    return this.count + meant;
  }

  show() {
    const { number } = this;
    if (!number) return;
    const shown = String(Math.max(0, this.shown));
    number.textContent = shown;
    number.dataset.digits = String(Math.min(5, shown.length));
    number.toggleAttribute("data-gone", shown === "0");
    number.toggleAttribute("data-waiting", this.busy || this.waiting !== 0);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.querySelectorAll("form button"))) {
      button.disabled = this.stuck || this.over;
    }
  }

  /** @param {string} text */
  say(text) {
    if (this.said) this.said.textContent = text;
  }

  offerUndo() {
    const { undo } = history.state?.tap ?? {};
    this.offer(words("undo"), undo && (() => this.changes.push(undo) && this.run()));
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

/**
 * @param {string} tag @param {Change} change
 * @returns {Promise<{ok: true, body: any} | {ok: false, why: string, isFinal: boolean}>}
 */
async function ask(tag, { delta, undo, key }) {
  try {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const answer = await call(tag, { method: "POST", headers, body: JSON.stringify({ delta, undo }), keepalive: true });
    if (answer.ok) return { ok: true, body: await answer.json() };
    const known = /** @type {Record<number, string>} */ (STATUS)[answer.status];
    return { ok: false, why: known ?? "failed", isFinal: answer.status === DEAD };
  } catch {
    return { ok: false, why: "noSignal", isFinal: false };
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

/** What can be done now that could not be done before. @param {Change[]} changes */
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
