// Keys can be switched off in this browser: who speaks to it, or hits one by mistake, has no use for them.
const OFF = "homeshelf:keys-off";

export function isOff() {
  return localStorage.getItem(OFF) !== null;
}

/** @param {ParentNode} place where the switch is */
export function bringSwitch(place) {
  const field = /** @type {HTMLInputElement | null} */ (place.querySelector(".keys-switch input"));
  field?.closest(".keys-switch")?.removeAttribute("hidden");
  if (field) field.checked = !isOff();
  field?.addEventListener("change", () => {
    if (field.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  });
}

bringSwitch(document);
