// Find, change and fetch the rows of a shared list.
import { getPage } from "../api.js";
import { morph } from "../live/morph.js";

/** @param {Element} list @param {string} id @returns {HTMLLIElement | null} */
export function rowOf(list, id) {
  return list.querySelector(`li[id="${id}"]`);
}

/** @param {Element} row @param {boolean} done */
export function showDone(row, done) {
  row.classList.toggle("entry-done", done);
  row.querySelector(".tick-row")?.setAttribute("aria-pressed", String(done));
}

/** Fetch the current row, null if that failed. @param {string} path */
export async function freshRow(path) {
  const answer = await getPage(path);
  return { answer, fresh: answer.ok ? answer.page.querySelector("li") : null };
}

/** Fetch the current list and update the page. @param {Element} list @param {string} path of its page */
export async function renew(list, path) {
  const answer = await getPage(path);
  const fresh = answer.ok ? answer.page.querySelector(list.localName) : null;
  if (!fresh) return answer;
  document.title = answer.page.title;
  morph(list, fresh);
  return answer;
}
