// Requests of the queue, with a timeout and with headers that name the user and family.

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Answer} Answer
 */
const TIMEOUT = 8000; // a hanging connection counts as cut
const FRESH = 30_000;
const WITH_KEY = ["POST", "PATCH"];
const OUTLIVES_PAGE = 16_000; // browsers limit keepalive requests to 64 kB in total
const NO_ANSWER = { status: 0, body: null };
const FOREIGN_ANSWER = { status: 0, body: null };

/** The server's last known time, and the device's two clocks then; one of them stops during sleep. */
let lastServerTime = { server: 0, wall: -Infinity, running: -Infinity };

/** @param {Pick<Change, "who" | "family" | "method" | "path" | "body" | "key">} change @returns {Promise<Answer>} */
export async function send({ who, family, method, path, body, key }, omitsCookies = false) {
  const { document } = /** @type {any} */ (globalThis);
  const language = document?.documentElement.lang; // a service worker uses the browser's language
  const headers = {
    Accept: "application/json",
    ...(language && { "Accept-Language": language }),
    ...(who && { "Homeshelf-Member": who }),
    ...(family && { "Homeshelf-Family": family }),
    ...(body && { "Content-Type": "application/json" }),
    ...(WITH_KEY.includes(method) && { "Idempotency-Key": key }),
  };
  const credentials = omitsCookies ? "omit" : "same-origin";
  const text = body ? JSON.stringify(body) : undefined;
  const keepalive = (text?.length ?? 0) < OUTLIVES_PAGE;
  return fetchAnswer(path, { method, headers, credentials, body: text, keepalive });
}

/** Return the server's time, because the phone's clock may be wrong. @returns {Promise<string | null>} */
export async function getServerTime() {
  const [wall, running] = [Date.now() - lastServerTime.wall, performance.now() - lastServerTime.running];
  const isFresh = wall >= 0 && wall < FRESH && running < FRESH;
  const isHeard = isFresh || (await isServerReachable());
  return isHeard ? new Date(lastServerTime.server).toISOString() : null;
}

/** Return whether the server answers. If a proxy answers /healthz itself, any API response counts. */
async function isServerReachable() {
  const answer = await fetchAnswer("/healthz", { credentials: "omit" });
  const { status } = answer === FOREIGN_ANSWER ? await fetchAnswer("/api/v1/me", { credentials: "omit" }) : answer;
  return status > 0;
}

/**
 * Fetch an answer. Responses of captive portals and proxies count as none.
 * @param {string} path @param {RequestInit} request @returns {Promise<Answer>}
 */
async function fetchAnswer(path, request) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT);
    const answer = await fetch(path, { ...request, signal, cache: "no-store", redirect: "error" });
    const { status, headers } = answer;
    const isOurs = /[/+]json\b/.test(headers.get("Content-Type") ?? "") || headers.has("X-Request-Id");
    const text = await answer.text();
    if (!isOurs) return FOREIGN_ANSWER;
    setServerTime(headers.get("Date"));
    return { status, body: text ? JSON.parse(text) : null, retryAfter: Number(headers.get("Retry-After")) || 0 };
  } catch {
    return NO_ANSWER;
  }
}

/** @param {string | null} date */
function setServerTime(date) {
  const server = Date.parse(date ?? "");
  if (server) lastServerTime = { server, wall: Date.now(), running: performance.now() };
}
