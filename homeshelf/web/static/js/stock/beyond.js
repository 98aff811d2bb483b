/**
 * What was found and is not on the page: the same groups, under names of their own.
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
    if (heading) heading.id = `found-${heading.id}`;
    group.setAttribute("aria-labelledby", heading?.id ?? "");
    fresh.append(group);
  }
  const more = stock.querySelector(".stock-more");
  if (more) fresh.append(more);
  return fresh;
}
