import sortedBtree from "sorted-btree"

/** A CommonJS module: Node's default import is its exports, vitest's and some bundlers' is the class itself. */
const BTree = (sortedBtree.default ?? sortedBtree) as typeof sortedBtree.default

/**
 * A persistent ordered map: `clone` takes constant time, and a write copies only the path to what it changes. Its type names
 * nothing of the module's, whose default export depends on how a project resolves modules.
 */
export interface Table<Key, Value> {
  readonly size: number
  readonly get: (key: Key) => Value | undefined
  readonly has: (key: Key) => boolean
  readonly set: (key: Key, value: Value) => boolean
  readonly delete: (key: Key) => boolean
  readonly clone: () => Table<Key, Value>
  /** Iterates from this key on, or from the first. */
  readonly entries: (from?: Key) => IterableIterator<[Key, Value]>
  readonly values: (from?: Key) => IterableIterator<Value>
  readonly minKey: () => Key | undefined
  readonly maxKey: () => Key | undefined
  readonly nextLowerPair: (key: Key | undefined) => [Key, Value] | undefined
  /** Calls back for each pair from `low` up to `high`, inclusive on request. */
  readonly forRange: (low: Key, high: Key, withHigh: boolean, each: (key: Key, value: Value) => void) => number
  readonly toArray: () => Array<[Key, Value]>
  readonly keysArray: () => Array<Key>
  readonly valuesArray: () => Array<Value>
}

/** Compares by code unit, not by locale: the same order on every machine. */
const compareStrings = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const compareNumbers = (a: number, b: number) => a - b

export const tableByString = <Key extends string, Value>(): Table<Key, Value> =>
  new BTree<Key, Value>(undefined, compareStrings)

export const tableByNumber = <Key extends number, Value>(): Table<Key, Value> =>
  new BTree<Key, Value>(undefined, compareNumbers)

export const tableBy = <Key, Value>(compare: (a: Key, b: Key) => number): Table<Key, Value> =>
  new BTree<Key, Value>(undefined, compare)
