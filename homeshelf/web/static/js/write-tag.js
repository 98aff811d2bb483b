import { toast } from "./toast.js";

// `<write-tag>`: puts an address on an NFC tag, where the phone and its browser can.
class WriteTag extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button || !("NDEFReader" in window)) return;
    button.hidden = false;
    button.addEventListener("click", () => this.write());
  }

  async write() {
    toast("Hold the tag to the back of the phone.");
    try {
      const reader = new /** @type {any} */ (window).NDEFReader();
      await reader.write({ records: [{ recordType: "url", data: this.dataset.url }] });
      toast("Written. Touch the tag to try it.");
    } catch {
      toast("That did not work. Hold the tag still and try again.");
    }
  }
}

customElements.define("write-tag", WriteTag);
