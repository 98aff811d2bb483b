import { words } from "./words.js";

/** What came of a request: `status` is 0 where there is no signal. */
export class ApiResponse {
  /**
   * @param {number} status @param {string} text @param {string} type
   * @param {string} ledTo where the server led instead
   */
  constructor(status, text = "", type = "", ledTo = "") {
    this.status = status;
    this.text = text;
    this.type = type;
    this.ledTo = ledTo;
  }

  get ok() {
    return this.status >= 200 && this.status < 300;
  }

  /** Whether the server could say anything about it, and not only that it is in trouble. */
  get isHeard() {
    return this.status > 0 && this.status < 500;
  }

  /** @returns {any} */
  get body() {
    return this.text && /[/+]json\b/.test(this.type) ? JSON.parse(this.text) : {};
  }

  get page() {
    return new DOMParser().parseFromString(this.text, "text/html");
  }

  /** What to say where it did not work. @param {string} unheard where nobody knows why */
  says(unheard = words("notSaved")) {
    return this.isHeard ? (this.body.detail ?? words("failed")) : unheard;
  }
}
