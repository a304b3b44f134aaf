import sortedBtree from "sorted-btree"

/** A CommonJS module: Node's default import is its exports, vitest's and some bundlers' is the class itself. */
const BTree = (sortedBtree.default ?? sortedBtree) as typeof sortedBtree.default

/** A persistent ordered map: `clone` takes constant time, and a write copies only the path to what it changes. */
export type Table<Key, Value> = InstanceType<typeof BTree<Key, Value>>

/** By code unit, not by locale: the same order on every machine. */
const compareStrings = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const compareNumbers = (a: number, b: number) => a - b

export const tableByString = <Key extends string, Value>(): Table<Key, Value> =>
  new BTree<Key, Value>(undefined, compareStrings)

export const tableByNumber = <Key extends number, Value>(): Table<Key, Value> =>
  new BTree<Key, Value>(undefined, compareNumbers)

export const tableBy = <Key, Value>(compare: (a: Key, b: Key) => number): Table<Key, Value> =>
  new BTree<Key, Value>(undefined, compare)
