// The queue's rules for stock adjustments: see docs/offline.md.
import { countVerdict, joinCounts } from "../queue/counter.js";
import { registerKinds } from "../queue/kinds.js";

const MOST = 1_000_000;

/** An adjustment of one item. The server's last count of each is stored. @type {import("../queue/change.js").Kind} */
const adjust = {
  verdict: countVerdict,
  join: (before, draft) => joinCounts(before, draft, MOST),
  cacheName: "counts",
  updateCache: (counts, { about }, answer) => ({ ...counts, [about]: answer ? counted(answer.item) : undefined }),
};

registerKinds({ "item.adjust": adjust });

/** @param {{quantity: number, version: number}} item */
function counted({ quantity, version }) {
  return { quantity, version };
}
