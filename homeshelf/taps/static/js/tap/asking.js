// Asks the server, once: the second try is a button. Not by `api.js`, which this page does without.
const ANSWERS_WITHIN = 8000;
export const DEAD = 404;
const STATUS = { [DEAD]: "ended", 429: "wait" };
const AWAY = 502; // and above: somebody in between has no signal

/**
 * @param {string} tag @param {import("./pressing.js").Tap} tap
 * @returns {Promise<{ok: true, body: any} | {ok: false, why: string}>} why: the key of what to say
 */
export async function ask(tag, tap) {
  const { delta, undo, key } = tap;
  if (!navigator.onLine) return { ok: false, why: "noSignal" };
  tap.isTried = true;
  try {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const answer = await call(tag, { method: "POST", headers, body: JSON.stringify({ delta, undo }), keepalive: true });
    if (answer.ok) return { ok: true, body: await answer.json() };
    const known = /** @type {Record<number, string>} */ (STATUS)[answer.status];
    return { ok: false, why: known ?? (answer.status < AWAY ? "failed" : "noSignal") };
  } catch {
    return { ok: false, why: "noSignal" };
  }
}

/** @param {string} tag @param {RequestInit} [request] */
export function call(tag, request) {
  const headers = { "Accept-Language": document.documentElement.lang, ...request?.headers };
  const signal = AbortSignal.timeout(ANSWERS_WITHIN);
  return fetch(`/api/v1/taps/${tag}`, { ...request, headers, credentials: "omit", signal });
}
