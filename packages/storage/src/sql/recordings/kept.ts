import type { Recording } from "@tapedeck/domain"

interface Kept {
  readonly revision: number
  readonly recording: Recording
  /** Of its document, in characters. */
  readonly size: number
}

/**
 * Recordings as they were last read, by id and revision, up to a size in all. Whoever reads has seen the revision that is
 * current: what is kept under another one is of the past, or of a future that a transaction has yet to commit.
 *
 * What is read often stays the same object, so that what was made of it (its JSON) can be kept with it.
 *
 * There are two generations: what is found in the older one moves to the younger, and the older one is dropped when the
 * younger one is full. That costs a read one look-up, where an exact order of use costs it two changes.
 */
export class KeptRecordings {
  private readonly limit: number
  private young = new Map<number, Kept>()
  private old = new Map<number, Kept>()
  private size = 0

  /** The limit is in characters of JSON; the objects take about four times that in bytes, with what is kept with them. */
  constructor(limit: number) {
    this.limit = limit
  }

  get(id: number, revision: number): Recording | undefined {
    const kept = this.young.get(id)
    if (kept !== undefined) return kept.revision === revision ? kept.recording : undefined
    const older = this.old.get(id)
    if (older?.revision !== revision) return undefined
    this.add(id, older)
    return older.recording
  }

  /** Only what is committed may be kept. */
  put(id: number, revision: number, recording: Recording, size: number) {
    // One that is as large as many would drive them all out.
    if (size * 16 <= this.limit) this.add(id, { revision, recording, size })
  }

  private add(id: number, kept: Kept) {
    this.size += kept.size - (this.young.get(id)?.size ?? 0)
    this.young.set(id, kept)
    if (this.size * 2 <= this.limit) return
    this.old = this.young
    this.young = new Map()
    this.size = 0
  }
}
