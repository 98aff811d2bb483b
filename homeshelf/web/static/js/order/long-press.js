// Start dragging a row by a long press, or by pulling it with a mouse.
const HELD = 450;
const PULLED = 8;

/**
 * @param {HTMLElement} list @param {string} rows selector of draggable rows
 * @param {import("./dragging.js").Dragging} dragging
 */
export function enableLongPress(list, rows, dragging) {
  let timer = 0;
  /** @type {{row: HTMLElement, event: PointerEvent} | null} */
  let pressed = null;
  const release = () => (clearTimeout(timer), (pressed = null));
  const grab = () => {
    if (pressed) dragging.grab(pressed.row, pressed.event.pointerId);
    if (pressed) navigator.vibrate?.(10);
    release();
  };

  list.addEventListener("pointerdown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const row = target.closest(".tick-row")?.closest(rows);
    if (!(row instanceof HTMLElement) || event.button !== 0) return;
    pressed = { row, event };
    if (event.pointerType !== "mouse") timer = setTimeout(grab, HELD);
  });
  list.addEventListener("pointermove", (event) => {
    if (!pressed) return;
    const far = Math.hypot(event.clientX - pressed.event.clientX, event.clientY - pressed.event.clientY) > PULLED;
    if (far && event.pointerType === "mouse") grab();
    else if (far) release();
  });
  for (const kind of ["pointerup", "pointercancel"]) list.addEventListener(kind, release);
  suppressDefaults(list, dragging);
}

/**
 * Prevent scrolling, menus and the final click while a row is dragged.
 * @param {HTMLElement} list @param {import("./dragging.js").Dragging} dragging
 */
function suppressDefaults(list, dragging) {
  const prevent = (/** @type {Event} */ event) => dragging.row && event.preventDefault();
  list.addEventListener("touchmove", prevent, { passive: false });
  list.addEventListener("contextmenu", prevent);
  list.addEventListener("pointerup", () => {
    if (!dragging.row) return;
    const swallow = (/** @type {Event} */ event) => (event.preventDefault(), event.stopPropagation());
    list.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => list.removeEventListener("click", swallow, { capture: true }), 50);
  }, { capture: true });
}
