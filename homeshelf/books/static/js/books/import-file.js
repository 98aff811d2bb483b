import { post } from "../api.js";
import { overrideDefault } from "../override-default.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

const PATIENCE = 300_000; // a large file on a slow line

/** `<import-file>`: sends only the file, so that the reader need not choose it again after a preview. */
class ImportFile extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => {
      const file = this.querySelector("input")?.files?.[0];
      if (!file) return;
      const button = /** @type {HTMLButtonElement} */ (event.submitter ?? this.querySelector("button"));
      overrideDefault(event, () => this.querySelector("[aria-busy]") || this.send(file, button));
    });
  }

  /** @param {File} file @param {HTMLButtonElement} button */
  async send(file, button) {
    button.setAttribute("aria-busy", "true");
    const kind = file.name.toLowerCase().endsWith(".json") ? "application/json" : "text/csv";
    const answer = await post(`/books/import?do=${button.value}`, file, { "Content-Type": kind }, PATIENCE);
    button.removeAttribute("aria-busy");
    if (answer.ledTo) location.assign(answer.ledTo);
    else this.show(answer.page);
  }

  /** @param {Document} page */
  show(page) {
    const said = page.querySelector("#said");
    if (!said) return toast(words("failed"));
    document.querySelector("#said")?.replaceWith(document.adoptNode(said));
    const heading = document.querySelector("#said [autofocus]");
    /** @type {HTMLElement | null} */ (heading)?.focus();
  }
}

customElements.define("import-file", ImportFile);
