// Pages: the network first, what was kept when it is slow or gone. Assets: what was kept first.
const KEPT = "homeshelf-{{ hash }}";
const ASSETS = {{ files|tojson }};
const NEVER = /^\/(api|sign-|join|reset|verify|forgotten|t|s|unsubscribe|static\/(?!{{ hash }}))(\/|$|-)/;
const PATIENCE = 3000;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll([...ASSETS, "/offline"])).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("homeshelf-") && name !== KEPT);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || NEVER.test(url.pathname)) return;
  if (url.pathname.startsWith("/static/")) event.respondWith(keptFirst(request));
  else if (request.mode === "navigate") event.respondWith(networkFirst(request));
});

async function keptFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

async function networkFirst(request) {
  const kept = await caches.open(KEPT);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
    if (answer.ok && !answer.redirected) await kept.put(request, answer.clone());
    return answer;
  } catch {
    return (await kept.match(request)) ?? kept.match("/offline");
  }
}
