// What the service worker sends with.
import "./all-kinds.js";
import { flush } from "./sender.js";

export { flush };
