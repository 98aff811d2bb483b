// Removes what this browser keeps of people who signed out, and nothing of others. The server names them in a cookie
// until that is done: their own page may have had no script, or a database that was busy.
import { deletePages } from "../page-cache.js";
import { forgetUser } from "./current-user.js";
import { deleteJournal } from "./journal.js";

const COOKIE = /(?:^|; )((?:__Host-)?homeshelf-signed-out)=([^;]*)/;

/** Remove all that is kept of a person. @param {string} who */
export async function removeUserData(who) {
  deleteJournal(who);
  removeSettings(who);
  await Promise.all([forgetUser(who), deletePages()]);
}

/** Remove all that is kept of those whom the cookie names, then the cookie. */
export async function removeSignedOutUsers() {
  const [, name, people] = COOKIE.exec(document.cookie) ?? [];
  if (!people) return;
  for (const who of people.split(".")) await removeUserData(who);
  if (COOKIE.exec(document.cookie)?.[2] !== people) return; // another tab has signed out meanwhile
  document.cookie = `${name}=; Path=/; Max-Age=0${location.protocol === "https:" ? "; Secure" : ""}`;
}

/** Remove a person's settings for this browser: their names end with the person's id. @param {string} who */
function removeSettings(who) {
  try {
    const names = Object.keys(localStorage).filter((name) => name.endsWith(`:${who}`));
    for (const name of names) localStorage.removeItem(name);
  } catch {} // a person may have forbidden it
}
