/** Delete the pages cached by the service worker, which belong to one user. */
export async function deletePages() {
  if (!("caches" in window)) return;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.endsWith("-pages")).map((name) => caches.delete(name)));
}
