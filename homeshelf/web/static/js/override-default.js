/** A script does what the form would have done. @param {Event} event @param {() => unknown} act */
export function overrideDefault(event, act) {
  event.preventDefault();
  event.stopImmediatePropagation();
  act();
}
