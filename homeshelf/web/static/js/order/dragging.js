const EDGE = 72;

/**
 * Rows that follow a finger or a pointer.
 * @typedef {object} Rules
 * @property {(row: HTMLElement) => HTMLElement[]} rows among which one moves
 * @property {(row: HTMLElement) => void} dropped
 */
export class Dragging {
  /** @type {HTMLElement | null} what is dragged */
  row = null;

  /** @param {HTMLElement} list @param {Rules} rules */
  constructor(list, rules) {
    this.list = list;
    this.rules = rules;
    list.addEventListener("pointerdown", (event) => {
      const grip = /** @type {Element} */ (event.target).closest(".grip");
      const row = grip?.closest("li");
      if (!row || event.button !== 0) return;
      event.preventDefault();
      this.grab(row, event.pointerId);
    });
    list.addEventListener("pointermove", ({ clientY }) => this.#drag(clientY));
    for (const kind of ["pointerup", "pointercancel"]) list.addEventListener(kind, () => this.#drop());
  }

  /** @param {HTMLElement} row @param {number} pointerId */
  grab(row, pointerId) {
    this.row = row;
    row.classList.add("order-moving");
    this.list.setPointerCapture(pointerId); // the row itself leaves its place, and would lose it
  }

  /** @param {number} y */
  #drag(y) {
    const { row } = this;
    if (!row) return;
    const others = this.rules.rows(row).filter((each) => each !== row);
    const above = others.find((each) => y < middle(each));
    if (above && above.previousElementSibling !== row) above.before(row);
    if (!above && row.nextElementSibling) others.at(-1)?.after(row);
    if (y < EDGE) scrollBy(0, -EDGE / 4);
    if (y > innerHeight - EDGE) scrollBy(0, EDGE / 4);
  }

  #drop() {
    const { row } = this;
    if (!row) return;
    this.row = null;
    row.classList.remove("order-moving");
    this.rules.dropped(row);
  }
}

/** @param {HTMLElement} row */
function middle(row) {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
