{% if sending %}
import { flush } from "{{ sending }}";

{% endif %}
// Pages are network first, with the cache if the network is slow or gone. Some are cache first and refreshed for the
// next visit. Assets are cache first. Never cached: the API, and pages whose address or content is secret. Slices
// declare these paths: see homeshelf/web/offline_rules.py.
const ASSETS = "homeshelf-{{ hash }}";
const PAGES = `${ASSETS}-pages`;
const FILES = {{ files|tojson }};
/** Cache-first pages, with the query parameters that their scripts understand. */
const CACHE_FIRST = new Map(/** @type {[string, string[]][]} */ ({{ kept_first|tojson }}));
/** Pages that are cached before they are opened. @type {string[]} */
const PREFETCHED = {{ prefetched|tojson }};
const OFFLINE = "/offline";
const NEVER_CACHED = new RegExp({{ never|tojson }});
/** Return addresses of identity providers. @type {string[]} */
const RETURN_PATHS = {{ arrivals|tojson }};
/** Forms that change the user or the family. */
const CHANGES_PERSON = new RegExp({{ changes_person|tojson }});
const SIGN_IN = {{ sign_in|tojson }};
const TIMEOUT = 3000;
/** The longest wait for a page that is not cached. */
const LONG_TIMEOUT = 4000;

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  const kept = caches.open(ASSETS).then((cache) => cache.addAll([...FILES, OFFLINE]));
  event.waitUntil(kept.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(deleteOldCaches().then(() => worker.clients.claim()));
});

worker.addEventListener("message", (event) => {
  if (event.data === "cache-pages" && event.source instanceof WindowClient)
    event.waitUntil(prefetchPages(new URL(event.source.url).pathname).catch(() => {}));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate" && changesPerson(request.method, url)) event.waitUntil(deletePages());
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (RETURN_PATHS.includes(url.pathname) && request.mode === "navigate")
    event.respondWith(returnFromProvider(request));
  else if (NEVER_CACHED.test(url.pathname)) return;
  else if (url.pathname.startsWith("/static/")) event.respondWith(cacheFirst(request));
  else if (request.mode !== "navigate") return;
  else if (isCacheFirst(url)) event.respondWith(cachedPageFirst(event, url.pathname));
  else event.respondWith(networkFirst(event, url.pathname));
});

{% if sending %}
worker.addEventListener("sync", (event) => {
  const sync = /** @type {ExtendableEvent & {tag: string}} */ (event);
  if (sync.tag === "homeshelf-queue") sync.waitUntil(sendAll());
});

/** Sends the queue, and throws if changes are left, so that the browser retries later. */
async function sendAll() {
  const { isDone } = await flush();
  if (!isDone) throw new Error("not all is sent");
}

{% endif %}
/**
 * Delete the caches of other versions, once the pages to prefetch are available offline in this version too.
 */
async function deleteOldCaches() {
  const pages = await caches.open(PAGES);
  for (const path of PREFETCHED) {
    if (!(await caches.match(path)) || (await pages.match(path))) continue;
    const request = new Request(path, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT) });
    const answer = await fetch(request).catch(() => null);
    if (!answer) return;
    await cachePage(pages, request, answer);
  }
  await deleteOtherCaches();
}

/** Return whether a newer version has deleted the caches of this one, which must not create them again. */
async function isReplaced() {
  return !(await caches.has(ASSETS));
}

async function deleteOtherCaches() {
  if (worker.registration.installing ?? worker.registration.waiting) return; // a newer version fills its caches
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith("homeshelf-") && !name.startsWith(ASSETS));
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** Cache the page that was opened before there was a worker, and the pages to prefetch. @param {string} opened */
async function prefetchPages(opened) {
  if (await isReplaced()) return;
  const pages = await caches.open(PAGES);
  for (const path of [opened, ...PREFETCHED]) {
    if (NEVER_CACHED.test(path) || (await pages.match(path))) continue;
    const request = new Request(path, { redirect: "manual" });
    const options = /** @type {RequestInit} */ ({ priority: "low" });
    await cachePage(pages, request, await fetch(request, options));
  }
}

/**
 * Check whether the cached pages belong to another user now. After the end of a session, pages redirect to
 * the sign-in page with `next`.
 * @param {string} method @param {URL} url
 */
function changesPerson(method, { pathname, searchParams }) {
  return method === "POST" ? CHANGES_PERSON.test(pathname) : pathname === SIGN_IN && searchParams.has("next");
}

/** Return the names of the page caches of all versions. */
async function pageCaches() {
  return (await caches.keys()).filter((name) => name.endsWith("-pages"));
}

/** @param {string} pathname */
async function removePage(pathname) {
  const found = await Promise.all((await pageCaches()).map((name) => caches.open(name)));
  await Promise.all(found.map((cache) => cache.delete(pathname)));
}

async function deletePages() {
  await Promise.all((await pageCaches()).map((name) => caches.delete(name)));
}

/**
 * A user returns from an identity provider without a form of ours: delete the cached pages of the previous user. A
 * page still loading goes into the deleted cache.
 * @param {Request} request
 */
async function returnFromProvider(request) {
  const answer = await fetch(request);
  await deletePages();
  return answer;
}

/** @param {Request} request */
async function cacheFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** @param {URL} url */
function isCacheFirst({ pathname, searchParams }) {
  const queries = CACHE_FIRST.get(pathname);
  return queries !== undefined && [...searchParams.keys()].every((name) => queries.includes(name));
}

/** @param {FetchEvent} event @param {string} path */
async function cachedPageFirst(event, path) {
  const pages = await caches.open(PAGES);
  const known = (await pages.match(path)) ?? (await caches.match(path));
  if (!known) return networkFirst(event, path);
  event.waitUntil(renewPage(pages, path).catch(() => {}));
  return known;
}

/** @param {Cache} pages @param {string} path */
async function renewPage(pages, path) {
  const request = new Request(path, { redirect: "manual" });
  const answer = await cachePage(pages, request, await fetch(request));
  if (answer.ok) await deleteOldCaches();
}

/**
 * Wait longer for a slow network if the page is not cached.
 * @param {FetchEvent} event @param {string} path
 */
async function networkFirst(event, path) {
  const pages = await caches.open(PAGES);
  const known = await pages.match(path);
  const fetched = fetch(event.request).then((answer) => cachePage(pages, event.request, answer));
  event.waitUntil(fetched.catch(() => {}));
  try {
    return await Promise.race([fetched, timeout(known ? TIMEOUT : LONG_TIMEOUT)]);
  } catch {
    return known ?? (await caches.match(OFFLINE)) ?? Response.error();
  }
}

/**
 * Cache a page without a query. A refused page is removed from the caches of all versions.
 * @param {Cache} pages @param {Request} request @param {Response} answer
 */
async function cachePage(pages, request, answer) {
  if (await isReplaced()) return answer;
  const { pathname, search } = new URL(request.url);
  const language = answer.headers.get("Content-Language");
  if (answer.ok && language) await switchLanguage(pages, language);
  if (answer.ok && !search) await pages.put(pathname, answer.clone());
  if (answer.type === "opaqueredirect" || [403, 404, 410].includes(answer.status)) await removePage(pathname);
  return answer;
}

/**
 * Delete cached pages of another language.
 * @param {Cache} pages @param {string} language of the latest page
 */
async function switchLanguage(pages, language) {
  const assets = await caches.open(ASSETS);
  if ((await assets.match(OFFLINE))?.headers.get("Content-Language") === language) return;
  await Promise.all((await pages.keys()).map((kept) => pages.delete(kept)));
  const offline = await fetch(`${OFFLINE}?language=${language}`).catch(() => null);
  if (offline?.ok) await assets.put(OFFLINE, offline);
}

/** @param {number} milliseconds @returns {Promise<never>} */
function timeout(milliseconds) {
  return new Promise((_, reject) => setTimeout(reject, milliseconds));
}
