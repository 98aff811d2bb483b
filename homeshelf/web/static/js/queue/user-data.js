// Delete this browser's data of users who signed out. The server names them in a cookie until that is done, because
// the sign-out page may have had no scripts or a busy database.
import { deletePages } from "../page-cache.js";
import { forgetUser } from "./current-user.js";
import { deleteJournal } from "./journal.js";

const COOKIE = /(?:^|; )((?:__Host-)?homeshelf-signed-out)=([^;]*)/;

/** Delete all data of a user. @param {string} who */
export async function removeUserData(who) {
  deleteJournal(who);
  removeSettings(who);
  await Promise.all([forgetUser(who), deletePages()]);
}

/** Delete all data of the users in the cookie, then the cookie. */
export async function removeSignedOutUsers() {
  const [, name, people] = COOKIE.exec(document.cookie) ?? [];
  if (!people) return;
  for (const who of people.split(".")) await removeUserData(who);
  if (COOKIE.exec(document.cookie)?.[2] !== people) return; // another tab has changed it
  document.cookie = `${name}=; Path=/; Max-Age=0${location.protocol === "https:" ? "; Secure" : ""}`;
}

/** Delete a user's settings, whose names end with the user's id. @param {string} who */
function removeSettings(who) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.endsWith(`:${who}`));
    for (const name of names) localStorage.removeItem(name);
  } catch {} // storage may be disabled
}
