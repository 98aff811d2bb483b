// Mark a form that is being submitted, and ignore a second submit.
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method === "dialog") return; // it is not sent, and can be used again
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  const button = event.submitter ?? form.querySelector("button:not([type=button])");
  button?.setAttribute("aria-busy", "true");
});

// The back button restores forms. Pages of a user are reloaded, because their data may be old or no longer theirs.
addEventListener("pageshow", (event) => {
  if (event.persisted && !document.body.matches(".shell-bare")) {
    document.documentElement.hidden = true;
    location.reload();
    return;
  }
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
});
