/** Run `act` instead of the event's default action. @param {Event} event @param {() => unknown} act */
export function overrideDefault(event, act) {
  event.preventDefault();
  event.stopImmediatePropagation();
  act();
}
