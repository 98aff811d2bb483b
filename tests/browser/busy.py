"""A browser's database that is slow, as on a slow phone for a moment, or that fails."""

BUSY = """() => new Promise((done) => {
  window.isBusy = true;
  indexedDB.open("homeshelf").onsuccess = ({ target: { result: db } }) => {
    const things = db.transaction(["changes", "things"], "readwrite").objectStore("things");
    const go = () => (done(), isBusy && (things.count().onsuccess = go));
    go();
  };
})"""
"""A transaction that does not end, until `isBusy` is false or its page is closed."""
FAILS = """(() => {
  Object.assign(window, { isFailing: true, failed: 0 });
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    if (isFailing) throw new DOMException(`${++failed}`, "UnknownError");
    return transaction.apply(this, given);
  };
})()"""
"""Until `isFailing` is false."""
NOTES = "Object.keys(localStorage).filter((name) => name.startsWith('homeshelf:note:')).length"
HURRIES = """() => {
  const later = window.setTimeout.bind(window);
  window.setTimeout = (work, pause, ...more) => later(work, pause / 10, ...more);
}"""
"""A page with a tenth of its patience."""
