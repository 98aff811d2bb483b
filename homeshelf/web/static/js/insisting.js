import { newKey } from "./keys.js";

/**
 * Sends something to the API until it is heard: the same key for every try, so that what was carried
 * out unheard is not done twice. Null where there is no signal.
 * @param {string} path @param {object} body
 * @returns {Promise<Response | null>}
 */
export async function insist(path, body) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": newKey() };
  const request = { method: "POST", headers, body: JSON.stringify(body), keepalive: true };
  for (const pause of [0, 500, 2000]) {
    await new Promise((done) => (pause ? setTimeout(done, pause) : done(null)));
    const answer = await fetch(`/api/v1${path}`, request).catch(() => null);
    if (answer && answer.status < 500) return answer;
  }
  return null;
}
