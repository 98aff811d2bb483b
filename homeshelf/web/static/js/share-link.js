import { toast } from "./toast.js";
import { words } from "./words.js";

// `<share-link>`: opens the phone's share sheet for a URL, or copies the URL.
class ShareLink extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => this.share());
  }

  async share() {
    const url = this.dataset.url ?? "";
    if (navigator.share) {
      try {
        await navigator.share({ title: this.dataset.title, url });
      } catch {
        return; // the user closed the share sheet
      }
    } else if (await this.copy(url)) toast(words("copied"));
  }

  /** @param {string} url */
  async copy(url) {
    if (navigator.clipboard) return navigator.clipboard.writeText(url).then(() => true, () => false);
    const input = this.querySelector("input"); // the clipboard API needs HTTPS
    input?.select();
    return Boolean(input) && document.execCommand("copy");
  }
}

customElements.define("share-link", ShareLink);
