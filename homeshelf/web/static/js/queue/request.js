// Requests of the queue: with patience, and saying whose they are.

/**
 * @typedef {import("./change.js").Change} Change
 * @typedef {import("./change.js").Answer} Answer
 */
const TIMEOUT = 8000; // a line that hangs is a line that is cut
const FRESH = 30_000;
const WITH_KEY = ["POST", "PATCH"];
const OUTLIVES_PAGE = 16_000; // of all that is on its way, a browser lets 64 kB outlive their page
const NO_ANSWER = { status: 0, body: null };
const FOREIGN_ANSWER = { status: 0, body: null };

/** The server's time, and when it was heard by two clocks of this device, of which one stops in its sleep. */
let lastServerTime = { server: 0, wall: -Infinity, running: -Infinity };

/** @param {Pick<Change, "who" | "family" | "method" | "path" | "body" | "key">} change @returns {Promise<Answer>} */
export async function send({ who, family, method, path, body, key }, omitsCookies = false) {
  const { document } = /** @type {any} */ (globalThis);
  const language = document?.documentElement.lang; // a service worker has the browser's
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

/** What the server says the time is: a phone's own clock may be wrong. @returns {Promise<string | null>} */
export async function getServerTime() {
  const [wall, running] = [Date.now() - lastServerTime.wall, performance.now() - lastServerTime.running];
  const isFresh = wall >= 0 && wall < FRESH && running < FRESH;
  const isHeard = isFresh || (await isServerReachable());
  return isHeard ? new Date(lastServerTime.server).toISOString() : null;
}

/** A proxy may have a health of its own: then the API is asked for something, and whatever it says will do. */
async function isServerReachable() {
  const answer = await fetchAnswer("/healthz", { credentials: "omit" });
  const { status } = answer === FOREIGN_ANSWER ? await fetchAnswer("/api/v1/me", { credentials: "omit" }) : answer;
  return status > 0;
}

/**
 * An answer that is not ours is none: a café's network and a proxy answer too.
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
