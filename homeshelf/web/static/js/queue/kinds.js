// All that can wait to be sent. A kind that an older app kept stays here for as long as phones may have some.
import { kinds as shopping } from "../shopping/merging.js";
import { kinds as counts } from "./counts.js";
import { kinds as shared } from "./shared.js";

/** @type {import("./change.js").Kinds} */
export const kinds = { ...shopping, ...counts, ...shared };
