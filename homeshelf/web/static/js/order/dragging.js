const EDGE = 72;

/**
 * Drag rows by pointer.
 * @typedef {object} Rules
 * @property {(row: HTMLElement) => HTMLElement[]} rows the rows it moves among
 * @property {(row: HTMLElement) => void} dropped
 */
export class Dragging {
  /** @type {HTMLElement | null} the dragged row */
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
    this.list.setPointerCapture(pointerId); // the row moves in the document and would lose the capture
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
