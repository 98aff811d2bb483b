// Lift the text field above a virtual keyboard that covers the page.
const view = visualViewport;

function liftInput() {
  const covered = view ? Math.max(0, innerHeight - view.height - view.offsetTop) : 0;
  document.documentElement.style.setProperty("--keyboard", `${Math.round(covered)}px`);
}

for (const kind of ["resize", "scroll"]) view?.addEventListener(kind, liftInput);
