// The queue's rules for taps: see docs/offline.md.
import { countVerdict, joinCounts } from "../queue/counter.js";
import { registerKinds } from "../queue/kinds.js";

const MOST = 20;

/** A tap; an undo is not combined with other taps. @type {import("../queue/change.js").Kind} */
const tap = {
  omitsCookies: true,
  verdict: (change, answer) => (answer.status === 404 ? { gone: { code: "ended" } } : countVerdict(change, answer)),
  join: (before, draft) => joinCounts(before, draft, MOST),
};

registerKinds({ tap });
