// How a count in the stock meets the server: see docs/offline.md.
import { countVerdict, joinCounts } from "../queue/counter.js";
import { registerKinds } from "../queue/kinds.js";

const MOST = 1_000_000;

/** How many more or less of an item. What the server told of each is kept. @type {import("../queue/change.js").Kind} */
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
