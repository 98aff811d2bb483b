const NAME = "found-";

/**
 * What was found and is not on the page: the same groups, with ids of their own.
 * @param {Element} stock of the page of what was found
 */
export function beyond(stock) {
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
    group.removeAttribute("aria-labelledby"); // a landmark of that name may be there
    fresh.append(group);
  }
  const more = stock.querySelector(".stock-more");
  if (more) fresh.append(more);
  return fresh;
}

/** What goes on where the page ended needs no second heading. */
export function joinGroups() {
  const groups = [...document.querySelectorAll(".stock-group:not([hidden]) > h2")];
  groups.forEach((heading, i) => {
    heading.classList.toggle("visually-hidden", i > 0 && heading.id === `${NAME}${groups[i - 1].id}`);
  });
}
