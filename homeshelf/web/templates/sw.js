{% if sending %}
import { flush } from "{{ sending }}";

{% endif %}
// Pages: the network first, what was kept when it is slow or gone. Some: what was kept first, and the network for the
// next time. Assets: what was kept first.
// Never kept: the API, and pages whose address or content is a secret.
// Which paths these are, slices say: see homeshelf/web/offline_rules.py.
const ASSETS = "homeshelf-{{ hash }}";
const PAGES = `${ASSETS}-pages`;
const FILES = {{ files|tojson }};
/** Pages that are shown as they were kept, with the parameters that their scripts understand. */
const KEPT_FIRST = new Map(/** @type {[string, string[]][]} */ ({{ kept_first|tojson }}));
const OFFLINE = "/offline";
const NEVER = new RegExp({{ never|tojson }});
/** Where people come back from an identity provider. @type {string[]} */
const ARRIVALS = {{ arrivals|tojson }};
/** Forms by which another person is here, or the same one in another family. */
const CHANGES_PERSON = new RegExp({{ changes_person|tojson }});
const SIGN_IN = {{ sign_in|tojson }};
const PATIENCE = 3000;

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", (event) => {
  const kept = caches.open(ASSETS).then((cache) => cache.addAll([...FILES, OFFLINE]));
  event.waitUntil(kept.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(takeOver().then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate" && changesPerson(request.method, url)) event.waitUntil(deletePages());
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (ARRIVALS.includes(url.pathname) && request.mode === "navigate") event.respondWith(arrive(request));
  else if (NEVER.test(url.pathname)) return;
  else if (url.pathname.startsWith("/static/")) event.respondWith(keptFirst(request));
  else if (request.mode !== "navigate") return;
  else if (isKeptFirst(url)) event.respondWith(keptPageFirst(event, url.pathname));
  else event.respondWith(networkFirst(event, url.pathname));
});

{% if sending %}
worker.addEventListener("sync", (event) => {
  const sync = /** @type {ExtendableEvent & {tag: string}} */ (event);
  if (sync.tag === "homeshelf-queue") sync.waitUntil(sendAll());
});

/** Where it throws, the browser tries again later. */
async function sendAll() {
  const { isDone } = await flush();
  if (!isDone) throw new Error("not all is sent");
}

{% endif %}
/**
 * What another version kept refers to its own assets, and goes with them: but not before the pages that are shown as
 * they were kept can be opened without a signal in this version too.
 */
async function takeOver() {
  const pages = await caches.open(PAGES);
  for (const path of KEPT_FIRST.keys()) {
    if (!(await caches.match(path)) || (await pages.match(path))) continue;
    const request = new Request(path, { redirect: "manual", signal: AbortSignal.timeout(PATIENCE) });
    const answer = await fetch(request).catch(() => null);
    if (!answer) return;
    await keep(pages, request, answer);
  }
  await forgetOthers();
}

async function forgetOthers() {
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith("homeshelf-") && !name.startsWith(ASSETS));
  await Promise.all(others.map((name) => caches.delete(name)));
}

/**
 * Whether the pages that are kept are no longer for the person in front of the browser. A page whose session has
 * ended leads to that of signing in, and names itself as the way on.
 * @param {string} method @param {URL} url
 */
function changesPerson(method, { pathname, searchParams }) {
  return method === "POST" ? CHANGES_PERSON.test(pathname) : pathname === SIGN_IN && searchParams.has("next");
}

/** Name the page caches of every version. */
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
 * Somebody comes back from an identity provider, with no form of ours that would have said so: what
 * was kept before is another person's. A page still on its way goes into the cache that is gone.
 * @param {Request} request
 */
async function arrive(request) {
  const answer = await fetch(request);
  await deletePages();
  return answer;
}

/** @param {Request} request */
async function keptFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** @param {URL} url */
function isKeptFirst({ pathname, searchParams }) {
  const queries = KEPT_FIRST.get(pathname);
  return queries !== undefined && [...searchParams.keys()].every((name) => queries.includes(name));
}

/** @param {FetchEvent} event @param {string} path */
async function keptPageFirst(event, path) {
  const pages = await caches.open(PAGES);
  const known = (await pages.match(path)) ?? (await caches.match(path));
  if (!known) return networkFirst(event, path);
  event.waitUntil(renewPage(pages, path).catch(() => {}));
  return known;
}

/** @param {Cache} pages @param {string} path */
async function renewPage(pages, path) {
  const request = new Request(path, { redirect: "manual" });
  const answer = await keep(pages, request, await fetch(request));
  if (answer.ok) await takeOver();
}

/**
 * A network that is slow is waited for only by those for whom nothing was kept.
 * @param {FetchEvent} event @param {string} path
 */
async function networkFirst(event, path) {
  const pages = await caches.open(PAGES);
  const known = await pages.match(path);
  const answered = fetch(event.request).then((answer) => keep(pages, event.request, answer));
  event.waitUntil(answered.catch(() => {}));
  try {
    return await (known ? Promise.race([answered, tooSlow()]) : answered);
  } catch {
    return known ?? (await caches.match(OFFLINE)) ?? Response.error();
  }
}

/**
 * A page is kept as it is without a question. One that is no longer given is removed, also from what another version
 * kept: that is shown until this version has the page.
 * @param {Cache} pages @param {Request} request @param {Response} answer
 */
async function keep(pages, request, answer) {
  const { pathname, search } = new URL(request.url);
  const language = answer.headers.get("Content-Language");
  if (answer.ok && language) await speak(pages, language);
  if (answer.ok && !search) await pages.put(pathname, answer.clone());
  if (answer.type === "opaqueredirect" || [403, 404, 410].includes(answer.status)) await removePage(pathname);
  return answer;
}

/**
 * Somebody chose another language: what was kept in the one before is not shown again.
 * @param {Cache} pages @param {string} language of the page that came just now
 */
async function speak(pages, language) {
  const assets = await caches.open(ASSETS);
  if ((await assets.match(OFFLINE))?.headers.get("Content-Language") === language) return;
  await Promise.all((await pages.keys()).map((kept) => pages.delete(kept)));
  const offline = await fetch(`${OFFLINE}?language=${language}`).catch(() => null);
  if (offline?.ok) await assets.put(OFFLINE, offline);
}

/** @returns {Promise<never>} */
function tooSlow() {
  return new Promise((_, giveUp) => setTimeout(giveUp, PATIENCE));
}
