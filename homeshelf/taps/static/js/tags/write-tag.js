import { words } from "../words.js";

const HELP = { NotAllowedError: "tagNotAllowed", NotSupportedError: "tagNotSupported" };

// `<write-tag>`: writes an address to an NFC tag, if the browser supports it. It waits for the tag until
// the button is pressed again.
class WriteTag extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button || !("NDEFReader" in window)) return;
    button.hidden = false;
    button.addEventListener("click", () => (this.waiting ? this.waiting.abort() : this.write()));
  }

  async write() {
    const { signal } = (this.waiting = new AbortController());
    this.show(words("stopWaiting"), words("holdTag"));
    const outcome = await this.outcome(signal);
    this.waiting = null;
    this.show(words("writeTag"), outcome);
  }

  /** @param {AbortSignal} signal */
  async outcome(signal) {
    try {
      const reader = new /** @type {any} */ (window).NDEFReader();
      await reader.write({ records: [{ recordType: "url", data: this.dataset.url }] }, { signal });
      return words("tagWritten");
    } catch (error) {
      if (signal.aborted) return "";
      const { name } = /** @type {Error} */ (error);
      return words(/** @type {Record<string, string>} */ (HELP)[name] ?? "tagFailed");
    }
  }

  /** @param {string} button @param {string} status */
  show(button, status) {
    for (const [where, text] of [["button span", button], ["[role=status]", status]]) {
      const found = this.querySelector(where);
      if (found) found.textContent = text;
    }
  }
}

customElements.define("write-tag", WriteTag);
