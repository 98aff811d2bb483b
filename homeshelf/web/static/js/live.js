// What others in the family change arrives here, as `homeshelf:change` events on the document.
import { listenTo } from "./stream.js";

const { family, since = "" } = document.body.dataset;

if (family) {
  listenTo(`homeshelf:${family}`, "/api/v1/events", since, (change) => {
    document.dispatchEvent(new CustomEvent("homeshelf:change", { detail: change }));
  });
}
