// Requests to the server: in the page's language, with a timeout, and with one retry if the request is idempotent.
import { ApiResponse } from "./response.js";
import { newUuid } from "./uuid.js";

const TIMEOUT = 8000;
const PAUSE = 700; // before the retry

/** @param {string} path of the API @param {Record<string, string>} [headers] */
export function get(path, headers = {}) {
  return fetchWithRetry(path, { headers: { Accept: "application/json", ...headers } });
}

/** Fetch a page or a fragment. @param {string} path */
export function getPage(path) {
  return fetchWithRetry(path, { headers: { Accept: "text/html" } });
}

/**
 * Send a change with an idempotency key. It is sent even if the user leaves the page.
 * @param {string} method @param {string} path of the API @param {object} body
 */
export function send(method, path, body) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": newUuid() };
  return fetchWithRetry(path, { method, headers, body: JSON.stringify(body), keepalive: true });
}

/**
 * Post form data without a retry, because it has no key.
 * @param {string} path @param {BodyInit} body @param {Record<string, string>} headers @param {number} [patience]
 */
export function post(path, body, headers, patience) {
  return fetchOnce(path, { method: "POST", headers, body }, patience);
}

/** @param {string} path @param {RequestInit} request */
async function fetchWithRetry(path, request) {
  const answer = await fetchOnce(path, request);
  if (answer.isHeard) return answer;
  await new Promise((done) => setTimeout(done, PAUSE));
  return fetchOnce(path, request);
}

/** @param {string} path @param {RequestInit} request */
async function fetchOnce(path, request, patience = TIMEOUT) {
  try {
    const asked = { "Accept-Language": document.documentElement.lang, ...request.headers };
    const answer = await fetch(path, { ...request, headers: asked, signal: AbortSignal.timeout(patience) });
    const { status, headers, redirected, url } = answer;
    return new ApiResponse(status, await answer.text(), headers.get("Content-Type") ?? "", redirected ? url : "");
  } catch {
    return new ApiResponse(0);
  }
}
