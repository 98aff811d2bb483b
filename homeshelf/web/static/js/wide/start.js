// From here on what was chosen stands beside what it was chosen from.
const SHEET = new URL("../../wide.css", import.meta.url).href;

if (document.querySelector("shopping-list")) bring(() => import("./list.js"));
else if (document.querySelector("#stock, #item")) bring(() => import("./stock.js"));

/** @param {() => Promise<unknown>} script */
function bring(script) {
  if (!document.querySelector(`link[href$="/wide.css"]`)) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = SHEET;
    document.head.append(link);
  }
  script();
}
