// The offline page stands in for another page, which it opens as soon as the server answers again.
const RETRY_EVERY = 2000;

async function reloadOnceConnected() {
  const signal = AbortSignal.timeout(2 * RETRY_EVERY);
  const answer = await fetch("/healthz", { cache: "no-store", signal }).catch(() => null);
  if (answer?.ok) location.reload();
  else setTimeout(reloadOnceConnected, RETRY_EVERY);
}

if (location.pathname !== "/offline") reloadOnceConnected();
