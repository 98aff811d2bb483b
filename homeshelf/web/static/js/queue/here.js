// Whose browser this is just now. The service worker, which sees no page, has to know it too.
import { kept } from "./kept.js";

/** @type {import("./queue.js").ThingKey} */
const HERE = ["", "", "here"];

/** @returns {Promise<string>} "" for nobody */
export async function whoIsHere() {
  return (await kept.thing(HERE)).value ?? "";
}

/** What was kept for others is theirs; only what they have not sent stays, until they return. @param {string} who */
export async function arrive(who) {
  if ((await whoIsHere()) === who) return;
  await kept.forget((whose, _, what) => what === "thing" && whose !== who && whose !== "");
  await setHere(who);
}

/** Who is in no family has no family's things; what waits is sent all the same, and refused. @param {string} who */
export async function leaveFamilies(who) {
  await kept.forget((whose, _, what) => what === "thing" && whose === who);
}

/** Forget all that is kept of a person. @param {string} who */
export async function leave(who) {
  await kept.forget((whose) => whose === who);
  const { value, turn } = await kept.thing(HERE);
  if (value === who) await kept.keep(HERE, "", turn); // unless another person comes in this moment
}

/** @param {string} who */
async function setHere(who) {
  while (!(await kept.keep(HERE, who, (await kept.thing(HERE)).turn)));
}
