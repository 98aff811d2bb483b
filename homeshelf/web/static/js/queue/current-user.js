// Whose browser this is just now. The service worker, which sees no page, has to know it too.
import { store } from "./store.js";

/** @type {import("./queue.js").ThingKey} */
const HERE = ["", "", "here"];

/** @returns {Promise<string>} "" for nobody */
export async function getCurrentUser() {
  return (await store.thing(HERE)).value ?? "";
}

/** What was kept for others is theirs; only what they have not sent stays, until they return. @param {string} who */
export async function switchUser(who) {
  if ((await getCurrentUser()) === who) return;
  await store.forget((whose, _, what) => what === "thing" && whose !== who && whose !== "");
  await setCurrentUser(who);
}

/** Who is in no family has no family's things; what waits is sent all the same, and refused. @param {string} who */
export async function forgetFamilies(who) {
  await store.forget((whose, _, what) => what === "thing" && whose === who);
}

/** Forget all that is kept of a person. @param {string} who */
export async function forgetUser(who) {
  await store.forget((whose) => whose === who);
  const { value, turn } = await store.thing(HERE);
  if (value === who) await store.keep(HERE, "", turn); // unless another person comes in this moment
}

/** @param {string} who */
async function setCurrentUser(who) {
  while (!(await store.keep(HERE, who, (await store.thing(HERE)).turn)));
}
