const PAUSE = 450;
const MOST = 20;
const STATUS = { 404: "This tag does not work any more.", 429: "That was a lot at once. Wait a little." };

/**
 * `<tap-page>`: takes one when somebody really comes, and once only. Quick presses are joined into
 * one request, and every request has a key, so that sending it again does nothing twice.
 */
class TapPage extends HTMLElement {
  waiting = 0;
  timer = 0;
  busy = false;

  connectedCallback() {
    this.number = /** @type {HTMLElement} */ (this.querySelector(".tap-count"));
    this.said = /** @type {HTMLElement} */ (this.querySelector(".tap-said"));
    this.again = /** @type {HTMLButtonElement} */ (this.querySelector(".tap-again"));
    this.again.addEventListener("click", () => this.next?.());
    this.querySelector("form")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.press(Number(/** @type {HTMLButtonElement} */ (event.submitter).value));
    });
    whenSeen().then(() => this.arrive());
  }

  /** A reload or the way back is no visit; one whose answer never came is asked about again. */
  arrive() {
    const kind = /** @type {PerformanceNavigationTiming} */ (performance.getEntriesByType("navigation")[0])?.type;
    const kept = history.state?.tap;
    if (kept ? kept.done : kind !== "navigate") return;
    const key = kept?.key ?? newKey();
    history.replaceState({ tap: { key, done: false } }, "");
    this.send(-1, false, key);
  }

  /** @param {number} delta */
  press(delta) {
    if (this.count + this.waiting + delta < 0) return;
    this.waiting += delta;
    this.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sendWaiting(), PAUSE);
  }

  sendWaiting() {
    if (!this.waiting || this.busy) return;
    const delta = Math.max(-MOST, Math.min(MOST, this.waiting));
    this.waiting -= delta;
    this.dataset.count = String(this.count + delta);
    this.send(delta, false, newKey(), delta);
  }

  /**
   * @param {number} delta @param {boolean} undo @param {string} key
   * @param {number} shown by how much the number on the screen is ahead
   */
  async send(delta, undo, key, shown = 0) {
    this.busy = true;
    this.offer("", null);
    this.show();
    const answer = await ask(this.dataset.tag ?? "", delta, undo, key);
    this.busy = false;
    if (answer.ok) this.happened(answer.body, delta, undo);
    else {
      this.dataset.count = String(this.count - shown);
      this.say(answer.words);
      if (answer.retry) this.offer(words(delta, undo), () => this.send(delta, undo, key));
    }
    this.show();
    this.sendWaiting();
  }

  /** @param {{quantity: number, applied: number, message: string}} body @param {number} delta @param {boolean} undo */
  happened(body, delta, undo) {
    const kept = history.state?.tap;
    if (kept) history.replaceState({ tap: { ...kept, done: true } }, "");
    this.dataset.count = String(body.quantity);
    this.say(`${body.message}.`);
    if (!undo && body.applied) this.offer("Undo", () => this.send(-body.applied, true, newKey()));
    else if (!undo && delta > 0) this.offer("", null);
  }

  get count() {
    return Number(this.dataset.count);
  }

  show() {
    const { number } = this;
    if (!number) return;
    const shown = String(Math.max(0, this.count + this.waiting));
    number.textContent = shown;
    number.dataset.digits = String(Math.min(5, shown.length));
    number.toggleAttribute("data-gone", shown === "0");
    number.toggleAttribute("data-waiting", this.busy || this.waiting !== 0);
  }

  /** @param {string} text */
  say(text) {
    if (this.said) this.said.textContent = text;
  }

  /** One button for what one may want next. @param {string} word @param {(() => void) | null} next */
  offer(word, next) {
    this.next = next;
    if (!this.again) return;
    this.again.hidden = !next;
    this.again.textContent = word;
  }
}

/**
 * @param {string} tag @param {number} delta @param {boolean} undo @param {string} key
 * @returns {Promise<{ok: true, body: any} | {ok: false, words: string, retry: boolean}>}
 */
async function ask(tag, delta, undo, key) {
  try {
    const answer = await fetch(`/api/v1/taps/${tag}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify({ delta, undo }),
      credentials: "omit",
      keepalive: true,
    });
    if (answer.ok) return { ok: true, body: await answer.json() };
    const known = /** @type {Record<number, string>} */ (STATUS)[answer.status];
    return { ok: false, words: known ?? "That did not work. Try again.", retry: answer.status !== 404 };
  } catch {
    return { ok: false, words: "No signal. Nothing was changed yet.", retry: true };
  }
}

/** Until somebody looks: what is prepared before that is no visit. */
async function whenSeen() {
  const prerendered = /** @type {any} */ (document);
  if (prerendered.prerendering) await once("prerenderingchange");
  while (document.visibilityState !== "visible") await once("visibilitychange");
}

/** @param {string} kind */
function once(kind) {
  return new Promise((done) => document.addEventListener(kind, done, { once: true }));
}

/** @param {number} delta @param {boolean} undo */
function words(delta, undo) {
  if (undo) return "Undo";
  return `${delta < 0 ? "Take" : "Add"} ${Math.abs(delta)} now`;
}

function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

customElements.define("tap-page", TapPage);
