import type { ReadDocument } from "./documents.ts"

interface Entry<Version, Value> {
  readonly version: Version
  readonly value: Value
  readonly size: number
}

/**
 * Decoded rows by key and version, up to a total size. The reader has just read the current version: an entry of another version
 * is old, or belongs to a transaction that is not committed yet.
 *
 * A hit returns the same object each time, so that what is derived from it (its JSON) can be cached with it.
 *
 * There are two generations. A hit in the old one moves to the young one; when the young one is full, the old one is dropped.
 * That costs a read one lookup, where an exact order of use costs two changes.
 */
export class Cache<Key, Version, Value> {
  private readonly limit: number
  private young = new Map<Key, Entry<Version, Value>>()
  private old = new Map<Key, Entry<Version, Value>>()
  private size = 0

  /** The limit is in characters of JSON. In memory, objects and their derived values take about two bytes for each. */
  constructor(limit: number) {
    this.limit = limit
  }

  get(key: Key, version: Version): Value | undefined {
    const entry = this.young.get(key)
    if (entry !== undefined) return entry.version === version ? entry.value : undefined
    const older = this.old.get(key)
    if (older?.version !== version) return undefined
    this.add(key, older)
    return older.value
  }

  put(key: Key, version: Version, value: Value, size: number) {
    // A very large value would evict many others.
    if (size * 16 <= this.limit) this.add(key, { version, value, size })
  }

  /** Replaces the value of an entry of this version, if there is one. */
  replace(key: Key, version: Version, value: Value) {
    for (const generation of [this.young, this.old]) {
      const entry = generation.get(key)
      if (entry?.version === version) generation.set(key, { ...entry, value })
    }
  }

  private add(key: Key, entry: Entry<Version, Value>) {
    this.size += entry.size - (this.young.get(key)?.size ?? 0)
    this.young.set(key, entry)
    if (this.size * 2 <= this.limit) return
    this.old = this.young
    this.young = new Map()
    this.size = 0
  }
}

/** Reads documents, and returns the same object for a key as long as its text does not change. */
export const cachedByText = <Value>(limit: number, read: ReadDocument<Value>) => {
  const cache = new Cache<number, string, Value>(limit)
  return (key: number, text: string): Value => {
    const cached = cache.get(key, text)
    if (cached !== undefined) return cached
    const value = read(key, text)
    cache.put(key, text, value, text.length)
    return value
  }
}
