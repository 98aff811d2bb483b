// The queue for the service worker.
import "./all-kinds.js";
import { flush } from "./sender.js";

export { flush };
