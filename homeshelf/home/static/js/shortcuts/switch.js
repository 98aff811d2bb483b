// Keys can be switched off in this browser: who speaks to it, or hits one by mistake, has no use for them.
const OF_ALL = "homeshelf:keys-off"; // as an earlier version stored it: for whom is not known
const OFF = `${OF_ALL}:${document.body.dataset.member ?? ""}`;

export function isOff() {
  return [OFF, OF_ALL].some((name) => localStorage.getItem(name) !== null);
}

/** @param {ParentNode} place where the switch is */
export function bringSwitch(place) {
  const field = /** @type {HTMLInputElement | null} */ (place.querySelector(".keys-switch input"));
  field?.closest(".keys-switch")?.removeAttribute("hidden");
  if (field) field.checked = !isOff();
  field?.addEventListener("change", () => {
    if (!field.checked) return localStorage.setItem(OFF, "1");
    for (const name of [OFF, OF_ALL]) localStorage.removeItem(name);
  });
}

bringSwitch(document);
