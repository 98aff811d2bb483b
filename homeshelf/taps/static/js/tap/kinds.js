// How a tap at the page of a tag meets the server: see docs/offline.md.
import { countVerdict, joinCounts } from "../queue/counter.js";
import { registerKinds } from "../queue/kinds.js";

const MOST = 20;

/** What is taken back stays apart from what is taken. @type {import("../queue/change.js").Kind} */
const tap = {
  omitsCookies: true,
  verdict: (change, answer) => (answer.status === 404 ? { gone: { code: "ended" } } : countVerdict(change, answer)),
  join: (before, draft) => joinCounts(before, draft, MOST),
};

registerKinds({ tap });
