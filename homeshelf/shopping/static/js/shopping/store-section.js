import { words } from "../words.js";

/**
 * The rows of a store, which has a place of its own from its first one on.
 * @param {HTMLElement} list @param {import("./store-groups.js").Group} group
 * @param {string[]} after the stores that follow
 */
export function findOrCreateRows(list, { storeId, name }, after) {
  const there = list.querySelector(`.list-group[data-store="${storeId}"] ul`);
  if (there) return there;
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("group"));
  const made = /** @type {HTMLElement} */ (content.querySelector("section")?.cloneNode(true));
  const title = /** @type {HTMLElement} */ (made.querySelector("h2"));
  title.textContent = name || words("anywhere");
  title.id = `at-${storeId || "anywhere"}`;
  made.setAttribute("aria-labelledby", title.id);
  made.dataset.store = storeId;
  const groups = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(".list-group")]);
  const next = groups.find(({ dataset }) => after.includes(dataset.store ?? ""));
  list.querySelector(".list-groups")?.insertBefore(made, next ?? null);
  return /** @type {Element} */ (made.querySelector("ul"));
}
