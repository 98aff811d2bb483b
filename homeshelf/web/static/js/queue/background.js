// What the service worker sends with. It can load nothing later, so it has all kinds from the start.
import "../taking/kinds.js";
import { flush } from "./sending.js";

export { flush };
