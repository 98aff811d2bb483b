// A form that is on its way says so, and is not sent twice by an eager thumb.
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method === "dialog") return; // it is sent nowhere, and may be used again
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  const button = event.submitter ?? form.querySelector("button:not([type=button])");
  button?.setAttribute("aria-busy", "true");
});

// Coming back by the back button finds the form as it was. A page about somebody is asked for anew:
// it may show what is no longer so, or what is no longer theirs to see.
addEventListener("pageshow", (event) => {
  if (event.persisted && !document.body.matches(".shell-bare")) {
    document.documentElement.hidden = true;
    location.reload();
    return;
  }
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
});
