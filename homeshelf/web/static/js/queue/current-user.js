// Store the current user of this browser, for the service worker, which sees no page.
import { store } from "./store.js";

/** @type {import("./queue.js").ThingKey} */
const HERE = ["", "", "here"];

/** @returns {Promise<string>} "" if anonymous */
export async function getCurrentUser() {
  return (await store.thing(HERE)).value ?? "";
}

/** Delete cached values of other users. Their unsent changes stay until they return. @param {string} who */
export async function switchUser(who) {
  if ((await getCurrentUser()) === who) return;
  await store.forget((whose, _, what) => what === "thing" && whose !== who && whose !== "");
  await setCurrentUser(who);
}

/** Delete cached values of a user without a family. Pending changes are sent and refused. @param {string} who */
export async function forgetFamilies(who) {
  await store.forget((whose, _, what) => what === "thing" && whose === who);
}

/** Delete all data of a user. @param {string} who */
export async function forgetUser(who) {
  await store.forget((whose) => whose === who);
  const { value, turn } = await store.thing(HERE);
  if (value === who) await store.keep(HERE, "", turn); // unless another user signs in now
}

/** @param {string} who */
async function setCurrentUser(who) {
  while (!(await store.keep(HERE, who, (await store.thing(HERE)).turn)));
}
