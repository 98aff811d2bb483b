/** `<password-field>`: a button shows what is typed, until the form is sent. */
class PasswordField extends HTMLElement {
  connectedCallback() {
    const [input, button] = [this.querySelector("input"), this.querySelector("button")];
    if (!input || !button) return;
    /** @param {boolean} isVisible */
    const show = (isVisible) => {
      input.type = isVisible ? "text" : "password";
      button.setAttribute("aria-pressed", String(isVisible));
    };
    button.hidden = false;
    button.addEventListener("click", () => show(input.type === "password"));
    input.form?.addEventListener("submit", () => show(false));
  }
}

customElements.define("password-field", PasswordField);
