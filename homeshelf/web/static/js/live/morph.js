// Morph an element into a fresh one and touch only differences, so that focus, open details and typed text stay. A
// form in use is left alone: with a fresh version it would overwrite changes that the user has not seen.
const OWN = new Set(["open", "data-from"]); // set by the user, not by the server

/** @param {Element} shown @param {Element} fresh */
export function morph(shown, fresh) {
  if (shown.isEqualNode(fresh) || isInUse(shown)) return;
  for (const { name } of [...shown.attributes])
    if (!fresh.hasAttribute(name) && !OWN.has(name)) shown.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  if (shown instanceof HTMLInputElement) shown.value = shown.defaultValue;
  else if (!shown.hasAttribute("data-drawn")) morphChildren(shown, fresh);
}

/** Return whether a form has unsaved input or is being sent. @param {Element} element */
export function isInUse(element) {
  if (element.matches(":has(> form[data-waiting])")) return true;
  if (!(element instanceof HTMLFormElement)) return false;
  return element.matches("[data-sent], [data-waiting], [data-typed]") || [...element.elements].some(isChanged);
}

/** @param {Element} field */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const first = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(first, 0);
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return false;
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

/** @param {Element} shown @param {Element} fresh */
function morphChildren(shown, fresh) {
  const wanted = new Set([...fresh.children].map(keyOf));
  const leftover = new Set();
  /** @type {Map<string, Node>} */
  const known = new Map();
  for (const child of [...shown.children]) {
    const key = keyOf(child);
    if (key && wanted.has(key)) known.set(key, child);
    else if (key && isKept(child)) leftover.add(child);
    else if (key) child.remove();
  }
  let at = shown.firstChild;
  for (const next of [...fresh.childNodes]) {
    while (at && leftover.has(at)) at = at.nextSibling;
    const key = keyOf(next);
    const same = key ? known.get(key) : isLike(at, next) ? at : null;
    if (same && same === at) at = at.nextSibling;
    else shown.insertBefore(same ?? next, at);
    if (same instanceof Element) morph(same, /** @type {Element} */ (next));
    else if (same) same.nodeValue = next.nodeValue;
  }
  while (at) {
    const next = at.nextSibling;
    if (!isKept(at)) at.remove();
    at = next;
  }
}

/** Return the key by which an element is recognized after it has moved. @param {Node} node */
function keyOf(node) {
  if (!(node instanceof Element)) return "";
  return node.id || node.getAttribute("aria-labelledby") || (node instanceof HTMLOptionElement ? node.value : "");
}

/** @param {Node | null} shown @param {Node} fresh */
function isLike(shown, fresh) {
  return shown !== null && shown.nodeName === fresh.nodeName && !keyOf(shown);
}

/** Return whether a node must stay because the user is working in it. @param {Node} node */
function isKept(node) {
  if (!(node instanceof Element)) return false;
  return isInUse(node) || [...node.querySelectorAll("form, :has(> form[data-waiting])")].some(isInUse);
}
