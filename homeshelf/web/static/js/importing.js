import { get, post } from "./api.js";
import { toast } from "./toast.js";

const LOOK_EVERY = 500;
const PATIENCE = 300_000; // a large file on a slow line

/** `<import-file>`: sends the file alone, so that who has looked need not choose it again. */
class ImportFile extends HTMLElement {
  connectedCallback() {
    this.addEventListener("submit", (event) => {
      const file = this.querySelector("input")?.files?.[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      const button = /** @type {HTMLButtonElement} */ (event.submitter ?? this.querySelector("button"));
      if (!this.querySelector("[aria-busy]")) this.send(file, button);
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
    if (!said) return toast("That did not work. Try once more.");
    document.querySelector("#said")?.replaceWith(document.adoptNode(said));
    const heading = document.querySelector("#said [autofocus]");
    /** @type {HTMLElement | null} */ (heading)?.focus();
  }
}

customElements.define("import-file", ImportFile);

/** `<import-progress>`: follows an import until it is done, and then shows what came of it. */
class ImportProgress extends HTMLElement {
  connectedCallback() {
    this.timer = setInterval(() => this.look(), LOOK_EVERY);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  async look() {
    const answer = await get(`/api/v1/books/imports/${this.dataset.import}`);
    if (!answer.ok) return;
    const { done, total } = answer.body;
    const bar = this.querySelector("progress");
    const words = this.querySelector("label");
    if (bar) bar.value = done;
    if (words) words.textContent = `${done} of ${total}`;
    if (done < total) return;
    clearInterval(this.timer);
    location.reload();
  }

  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;
}

customElements.define("import-progress", ImportProgress);
