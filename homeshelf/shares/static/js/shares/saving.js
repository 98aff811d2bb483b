import { getPage, send } from "../api.js";
import { morph } from "../live/morph.js";
import { toast } from "../toast.js";
import { words } from "../words.js";

const PAUSE = 400;
const SHUT = [401, 403, 404, 410];

/** Saves the order of a shared list, and shows the order that others save. */
export class Saving {
  timer = 0;
  isSending = false;
  /** @type {string[]} as the server knows it */
  saved = [];

  /** @param {import("./order.js").OrderList} list */
  constructor(list) {
    this.list = list;
  }

  /** True if the order differs from the saved one. */
  get isDue() {
    return this.list.ids.join() !== this.saved.join();
  }

  get isBusy() {
    return Boolean(this.list.dragging.row || this.timer || this.isSending);
  }

  soon() {
    this.list.classList.add("order-pending");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE);
  }

  /** Save at once when the person leaves the page. */
  leave() {
    if (this.timer) this.save(true);
  }

  /** @returns {Promise<void>} */
  async save(leaving = false) {
    if (this.isSending && !leaving) return; // the request under way saves again when it is answered
    clearTimeout(this.timer);
    this.timer = 0;
    this.isSending = true;
    const { ids, dataset, classList } = this.list;
    const answer = await send("PUT", `/api/v1/shareables/${dataset.list}/order`, { checklistItemIds: ids });
    this.isSending = false;
    if (answer.ok) this.saved = ids;
    if (answer.ok && this.isDue) return this.save();
    classList.remove("order-pending");
    if (!answer.ok) this.failed(answer);
  }

  /** @param {import("../response.js").ApiResponse} answer */
  failed({ status, isHeard }) {
    if (SHUT.includes(status)) return location.reload();
    this.list.arrange(this.saved);
    if (!isHeard) return toast(words("orderNotSaved"));
    toast(words("meanwhile"));
    this.resync();
  }

  heard() {
    if (!this.isBusy) this.resync();
  }

  /** Show the current order, unless the person is moving rows. */
  async resync() {
    const answer = await getPage(location.href);
    if (answer.isHeard && !answer.ok) return location.reload();
    const [shown, fresh] = [this.list, answer.page].map((place) => place.querySelector("order-list ul"));
    if (!shown || !fresh || this.isBusy) return;
    morph(shown, fresh);
    this.list.prepare();
  }
}
