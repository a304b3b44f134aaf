interface Entry<Version, Value> {
  readonly version: Version
  readonly value: Value
  readonly size: number
}

/**
 * What was decoded of rows, by key and version, up to a size in all. Whoever reads has seen the version that is current:
 * what is kept under another one is of the past, or of a future that a transaction has yet to commit.
 *
 * What is read often stays the same object, so that what was made of it (its JSON) can be kept with it.
 *
 * There are two generations: what is found in the older one moves to the younger, and the older one is dropped when the
 * younger one is full. That costs a read one look-up, where an exact order of use costs it two changes.
 */
export class Kept<Key, Version, Value> {
  private readonly limit: number
  private young = new Map<Key, Entry<Version, Value>>()
  private old = new Map<Key, Entry<Version, Value>>()
  private size = 0

  /** The limit is in characters of JSON; with what is made of them, objects take about twice that in bytes. */
  constructor(limit: number) {
    this.limit = limit
  }

  get(key: Key, version: Version): Value | undefined {
    const kept = this.young.get(key)
    if (kept !== undefined) return kept.version === version ? kept.value : undefined
    const older = this.old.get(key)
    if (older?.version !== version) return undefined
    this.add(key, older)
    return older.value
  }

  put(key: Key, version: Version, value: Value, size: number) {
    // One that is as large as many would drive them all out.
    if (size * 16 <= this.limit) this.add(key, { version, value, size })
  }

  /** Puts another value in the place of the one that is kept under this version. */
  replace(key: Key, version: Version, value: Value) {
    for (const generation of [this.young, this.old]) {
      const kept = generation.get(key)
      if (kept?.version === version) generation.set(key, { ...kept, value })
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

/** Decodes a text once for as long as it is what the key's row says: the same text gives the same object. */
export const keptByText = <Key, Value>(limit: number) => {
  const kept = new Kept<Key, string, Value>(limit)
  return (key: Key, text: string): Value => {
    const known = kept.get(key, text)
    if (known !== undefined) return known
    const value = JSON.parse(text) as Value
    kept.put(key, text, value, text.length)
    return value
  }
}
