const EDGE = 72;

/** @param {import("./order.js").OrderList} list */
export function dragging(list) {
  list.addEventListener("pointerdown", (event) => grab(list, event));
  list.addEventListener("pointermove", (event) => drag(list, event));
  for (const kind of ["pointerup", "pointercancel"]) list.addEventListener(kind, () => drop(list));
}

/** @param {import("./order.js").OrderList} list @param {PointerEvent} event */
function grab(list, event) {
  const grip = /** @type {Element} */ (event.target).closest(".grip");
  if (!grip || event.button !== 0) return;
  event.preventDefault();
  list.moving = grip.closest("li");
  list.moving?.classList.add("order-moving");
  list.setPointerCapture(event.pointerId); // the row itself leaves its place, and would lose it
}

/** @param {import("./order.js").OrderList} list @param {PointerEvent} event */
function drag(list, { clientY }) {
  const row = list.moving;
  if (!row) return;
  const above = list.rows.find((each) => each !== row && clientY < middle(each));
  if (above && above.previousElementSibling !== row) above.before(row);
  if (!above && row.nextElementSibling) row.parentElement?.append(row);
  if (clientY < EDGE) scrollBy(0, -EDGE / 4);
  if (clientY > innerHeight - EDGE) scrollBy(0, EDGE / 4);
}

/** @param {import("./order.js").OrderList} list */
function drop(list) {
  const row = list.moving;
  if (!row) return;
  list.moving = null;
  row.classList.remove("order-moving");
  list.ends();
  if (list.saving.isDue) list.moved(row);
}

/** @param {HTMLElement} row */
function middle(row) {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
