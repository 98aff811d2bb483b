const HELP = {
  NotAllowedError: "The browser may not write tags. Allow it for this page, and try again.",
  NotSupportedError: "This phone cannot write tags now. Is NFC switched on?",
};

// `<write-tag>`: puts an address on an NFC tag, where the phone and its browser can. It waits for
// the tag until it is pressed again.
class WriteTag extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button || !("NDEFReader" in window)) return;
    button.hidden = false;
    button.addEventListener("click", () => (this.waiting ? this.waiting.abort() : this.write()));
  }

  async write() {
    const { signal } = (this.waiting = new AbortController());
    this.show("Stop waiting", "Hold the tag to the back of the phone.");
    const words = await this.outcome(signal);
    this.waiting = null;
    this.show("Write it to a tag", words);
  }

  /** @param {AbortSignal} signal */
  async outcome(signal) {
    try {
      const reader = new /** @type {any} */ (window).NDEFReader();
      await reader.write({ records: [{ recordType: "url", data: this.dataset.url }] }, { signal });
      return "Written. Touch the tag to try it.";
    } catch (error) {
      if (signal.aborted) return "";
      const { name } = /** @type {Error} */ (error);
      const help = /** @type {Record<string, string>} */ (HELP)[name];
      return help ?? "That did not work. Hold the tag still and try again.";
    }
  }

  /** @param {string} button @param {string} words */
  show(button, words) {
    for (const [where, text] of [["button span", button], ["[role=status]", words]]) {
      const found = this.querySelector(where);
      if (found) found.textContent = text;
    }
  }
}

customElements.define("write-tag", WriteTag);
