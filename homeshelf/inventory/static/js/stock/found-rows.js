const NAME = "found-";

/**
 * Return the found rows that the page does not show yet, in groups with ids of their own.
 * @param {Element} stock the list of the fetched page
 */
export function foundRows(stock) {
  const here = document.getElementById("stock");
  const fresh = document.createElement("div");
  fresh.id = "found";
  for (const group of stock.querySelectorAll(".stock-group")) {
    for (const row of group.querySelectorAll("[data-name]"))
      if (here?.querySelector(`[id="${row.id}"]`)) row.remove();
    if (!group.querySelector("[data-name]")) continue;
    const heading = group.querySelector("h2");
    if (heading) heading.id = `${NAME}${heading.id}`;
    group.id = `${heading?.id}-group`;
    group.removeAttribute("aria-labelledby"); // the page may have a landmark with this name
    fresh.append(group);
  }
  const more = stock.querySelector(".stock-more");
  if (more) fresh.append(more);
  return fresh;
}

/** Hide the heading of a group that continues the last group of the page. */
export function hideRepeatedHeadings() {
  const groups = [...document.querySelectorAll(".stock-group:not([hidden]) > h2")];
  groups.forEach((heading, i) => {
    heading.classList.toggle("visually-hidden", i > 0 && heading.id === `${NAME}${groups[i - 1].id}`);
  });
}
