import { words } from "./words.js";

/** The response to a request; `status` is 0 if there was none. */
export class ApiResponse {
  /**
   * @param {number} status @param {string} text @param {string} type
   * @param {string} ledTo the URL after a redirect
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

  /** Return whether the server handled the request, as opposed to failing or not answering. */
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

  /** Return the message for a failed request. @param {string} unheard the message if there was no response */
  says(unheard = words("notSaved")) {
    return this.isHeard ? (this.body.detail ?? words("failed")) : unheard;
  }
}
