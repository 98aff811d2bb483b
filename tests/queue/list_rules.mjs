// `node list_rules.mjs SCRIPTS`: what stands where on the list, and what of it is meant.
import assert from "node:assert/strict";
import { hold } from "./holding.mjs";

const [, , scripts] = process.argv;
const load = (name) => import(`${scripts}/shopping/${name}.js`);
const [{ applyChanges: shown }, { groupEntries, mergeOrder }] = await Promise.all(["pending-view", "store-groups"].map(load));
const [{ selectUsual, selectToPutAway }, { draftTick, draftPutAway }] = await Promise.all(["entry-filters", "changes"].map(load));
const OWN = { who: "ada", family: "home" };
const AT = "2026-11-16T09:00:00.000Z";
const MILK = { shoppingItemId: "e1", name: "Milk", status: "pending", putAwayAt: null, storeId: null, version: 3 };
const BREAD = { ...MILK, shoppingItemId: "e2", name: "Bread" };
const SOAP = { ...MILK, shoppingItemId: "e3", name: "Soap", itemId: "i3", storeId: "s2" };
const STORES = [{ storeId: "s1", name: "Market", order: [] }, { storeId: null, name: null, order: [] }];

const names = (entries) => entries.map(({ name }) => name);
const standing = ({ groups }) => groups.map(({ storeId, entries }) => [storeId, names(entries)]);
const bought = (entry) => ({ ...entry, status: "purchased" });

await hold({
  "an unticked entry is no longer put away": () => {
    const away = { ...MILK, status: "purchased", putAwayAt: AT };
    const list = { at: AT, entries: [away], stores: [], usual: [] };
    const [entry] = shown(list, [{ ...OWN, ...draftTick(away, "pending") }]).entries;
    assert.deepEqual([entry.status, entry.putAwayAt], ["pending", null]);
    const [still] = shown(list, [{ ...OWN, ...draftPutAway(away) }]).entries;
    assert.equal(still.putAwayAt, AT);
  },
  "an entry of a deleted store is unassigned": () => {
    const stores = [{ storeId: "s1", name: "Market", order: [] }, { storeId: null, name: null, order: [] }];
    const entries = [{ ...MILK, storeId: "gone" }, { ...BREAD, storeId: "s1" }];
    const { groups } = groupEntries({ entries, stores }, "");
    const standing = groups.map((group) => [group.storeId, group.entries.map(({ name }) => name)]);
    assert.deepEqual(standing, [["s1", ["Bread"]], ["", ["Milk"]]]);
  },
  "a new name follows a similar one at the top": () => {
    const stores = [{ ...STORES[1], order: ["cheese", "milk"] }];
    const made = ["Milk", "Cheese", "Cheese cake"].map((name) => ({ ...MILK, shoppingItemId: name, name }));
    assert.deepEqual(standing(groupEntries({ entries: made, stores }, "")), [["", ["Cheese", "Cheese cake", "Milk"]]]);
  },
  "entries follow the store's order, new ones follow similar ones": () => {
    const stores = [{ ...STORES[1], order: ["cheese", "MILK"] }];
    const made = ["Milk", "Tea", "Cheese", "Milk rice"].map((name) => ({ ...MILK, shoppingItemId: name, name }));
    assert.deepEqual(standing(groupEntries({ entries: made, stores }, "")), [["", ["Cheese", "Milk", "Milk rice", "Tea"]]]);
  },
  "a store shows its own and unassigned entries": () => {
    const stores = [...STORES, { storeId: "s2", name: "Chemist", order: [] }];
    const entries = [MILK, { ...BREAD, storeId: "s1" }, SOAP];
    assert.deepEqual(standing(groupEntries({ entries, stores }, "s2")), [["", ["Milk"]], ["s2", ["Soap"]]]);
  },
  "an unlisted name keeps its place in the order": () => {
    assert.deepEqual(mergeOrder(["Tea", "Milk", "Rice", "Bread"], ["Bread", "milk"]), ["Tea", "Bread", "milk", "Rice"]);
    assert.deepEqual(mergeOrder(["Milk", "Rice", "Jam"], ["Bread", "Milk"]), ["Bread", "Milk", "Rice", "Jam"]);
    assert.deepEqual(mergeOrder([], ["Milk", "Tea", "MILK"]), ["MILK", "Tea"]);
    assert.equal(mergeOrder(Array.from({ length: 600 }, (_, i) => `Thing ${i}`), ["Milk"]).length, 500);
  },
  "putting all away skips archived, put away and other stores' entries": () => {
    const away = { ...bought(BREAD), putAwayAt: AT };
    const entries = [bought(MILK), away, bought(SOAP), { ...MILK, name: "Tea" }];
    assert.deepEqual(names(selectToPutAway({ entries }, "")), ["Milk", "Soap"]);
    assert.deepEqual(names(selectToPutAway({ entries, aside: ["i3"] }, "")), ["Milk"]);
    assert.deepEqual(names(selectToPutAway({ entries, aside: ["i2", "i3"] }, "", true)), ["Soap"]);
    assert.deepEqual(names(selectToPutAway({ entries, aside: ["i3"] }, "s1", true)), []);
    assert.deepEqual(names(selectToPutAway({ entries }, "s1")), ["Milk"]);
    assert.deepEqual(names(selectToPutAway({ entries }, "s2")), ["Milk", "Soap"]);
  },
  "usual items are offered at their store unless pending": () => {
    const usual = [{ name: "MILK", storeId: null }, { name: "Tea", storeId: "s1" }, { name: "Soap", storeId: null }];
    const list = { usual, entries: [MILK, bought(SOAP)] };
    assert.deepEqual(names(selectUsual(list, "")), ["Tea", "Soap"]);
    assert.deepEqual(names(selectUsual(list, "s2")), ["Soap"]);
  },
});
