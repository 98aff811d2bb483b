/** Delete the pages that the service worker keeps: they are those of one person. */
export async function deletePages() {
  if (!("caches" in window)) return;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.endsWith("-pages")).map((name) => caches.delete(name)));
}
