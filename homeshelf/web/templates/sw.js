// Pages: the network first, what was kept when it is slow or gone. Assets: what was kept first.
// Never kept: the API, signing in, and pages whose address or content is a secret.
const ASSETS = "homeshelf-{{ hash }}";
const PAGES = `${ASSETS}-pages`;
const FILES = {{ files|tojson }};
const NEVER = /^\/(api|sign-in|sign-up|sign-out|forgotten|reset|verify|join|family\/invitations|t|s|unsubscribe)(\/|$)/;
const PATIENCE = 3000;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(ASSETS).then((kept) => kept.addAll([...FILES, "/offline"])).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || NEVER.test(url.pathname)) return;
  if (url.pathname.startsWith("/static/")) event.respondWith(keptFirst(request));
  else if (request.mode === "navigate") event.respondWith(networkFirst(event, url.pathname));
});

/** What another version kept refers to assets that are gone. */
async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("homeshelf-") && !name.startsWith(ASSETS)).map((name) => caches.delete(name)));
}

async function keptFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** A network that is slow is waited for only by those for whom nothing was kept. */
async function networkFirst(event, path) {
  const pages = await caches.open(PAGES);
  const known = await pages.match(path);
  const answered = fetch(event.request).then((answer) => keep(pages, event.request, answer));
  event.waitUntil(answered.catch(() => {}));
  try {
    return await (known ? Promise.race([answered, tooSlow()]) : answered);
  } catch {
    return known ?? (await caches.match("/offline")) ?? Response.error();
  }
}

/** A page is kept as it is without a question; one that is no longer given is not kept either. */
async function keep(pages, request, answer) {
  const { pathname, search } = new URL(request.url);
  if (answer.ok && !search) await pages.put(pathname, answer.clone());
  const gone = answer.type === "opaqueredirect" || [403, 404, 410].includes(answer.status);
  if (gone) await pages.delete(pathname);
  return answer;
}

function tooSlow() {
  return new Promise((_, giveUp) => setTimeout(giveUp, PATIENCE));
}
