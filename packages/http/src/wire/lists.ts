import type { Pagination as WirePagination } from "@tapedeck/contract"
import type { OwnedRecording } from "@tapedeck/core"
import type { Pagination, Recording, User } from "@tapedeck/domain"
import { Pieces } from "../responses.ts"
import type { RecordingConfig } from "./recording.ts"

export const wirePagination = (pagination: Pagination): WirePagination => ({
  count: pagination.count,
  page: pagination.page,
  items: pagination.items,
  pages: pagination.pages,
  last_page: pagination.lastPage,
  from: pagination.from,
  to: pagination.to,
  ...(pagination.nextPage !== undefined && { next_page: pagination.nextPage }),
  ...(pagination.prevPage !== undefined && { prev_page: pagination.prevPage })
})

/** One recording's JSON in UTF-8: alone, and with the comma that follows another one's in a list. */
export interface ReadyJson {
  readonly bytes: Uint8Array
  readonly following: Uint8Array
}

/** With what besides the recording itself it was made of. */
interface Ready extends ReadyJson {
  readonly owner: User | null
  readonly publicUrl: string
  readonly vendor: string
}

/** A constructor that makes nothing new lets a private field be put on any object. */
class Itself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is how the field gets onto the object
    return object
  }
}

/**
 * JSON of recordings, each serialised once and kept for as long as the store keeps that very object. A change
 * makes a new object, so it shows in the next answer; no answer is kept as a whole. A store that makes a new object at
 * each read has no use of this, and no harm.
 *
 * It is kept in a private field of the recording, which is a `WeakMap` at a field's price, for the look-up and for the
 * garbage collector. Nobody else sees the field, and copies do not carry it.
 */
export const readyJson = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  class Kept extends Itself {
    #ready: Ready | undefined = undefined
    static on(recording: Recording): Ready | undefined {
      return #ready in recording ? (recording as unknown as Kept).#ready : undefined
    }
    static put(recording: Recording, ready: Ready) {
      const kept = #ready in recording ? (recording as unknown as Kept) : new Kept(recording)
      kept.#ready = ready
    }
  }

  return (owned: OwnedRecording, config: RecordingConfig): ReadyJson => {
    const { owner, recording } = owned
    const kept = Kept.on(recording)
    if (kept?.owner === owner && kept.publicUrl === config.publicUrl && kept.vendor === config.vendor) return kept
    const following = Buffer.from(`,${JSON.stringify(toWire(owned, config))}`)
    const { publicUrl, vendor } = config
    const ready: Ready = { bytes: following.subarray(1), following, owner, publicUrl, vendor }
    Kept.put(recording, ready)
    return ready
  }
}

const tail = Buffer.from("]}")

/** A page of a list, `{"pagination":…,"records":[…]}`, of records whose JSON is ready. */
export const listBody = (pagination: Pagination, records: ReadonlyArray<ReadyJson>): Pieces => {
  const head = Buffer.from(`{"pagination":${JSON.stringify(wirePagination(pagination))},"records":[`)
  const listed = records.map(({ bytes, following }, index) => (index === 0 ? bytes : following))
  return new Pieces([head, ...listed, tail])
}
