// Sends a tap once; the retry is a button. This page does without `api.js`.
const TIMEOUT = 8000;
export const DEAD = 404;
const STATUS = { [DEAD]: "ended", 429: "wait" };
const FIRST_GATEWAY_ERROR = 502; // from here on a proxy answers, because the server is out of reach

/**
 * @param {string} tag @param {import("./taps.js").Tap} tap
 * @returns {Promise<{ok: true, body: any} | {ok: false, why: string}>} why: the key of the message
 */
export async function sendTap(tag, tap) {
  const { delta, undo, key } = tap;
  if (!navigator.onLine) return { ok: false, why: "noSignal" };
  tap.isTried = true;
  try {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const body = JSON.stringify({ delta, undo });
    const answer = await fetchTap(tag, { method: "POST", headers, body, keepalive: true });
    if (answer.ok) return { ok: true, body: await answer.json() };
    const known = /** @type {Record<number, string>} */ (STATUS)[answer.status];
    return { ok: false, why: known ?? (answer.status < FIRST_GATEWAY_ERROR ? "failed" : "noSignal") };
  } catch {
    return { ok: false, why: "noSignal" };
  }
}

/** @param {string} tag @param {RequestInit} [request] */
export function fetchTap(tag, request) {
  const headers = { "Accept-Language": document.documentElement.lang, ...request?.headers };
  const signal = AbortSignal.timeout(TIMEOUT);
  return fetch(`/api/v1/taps/${tag}`, { ...request, headers, credentials: "omit", signal });
}
