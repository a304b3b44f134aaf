import type { Pagination as WirePagination } from "@tapedeck/contract"
import { type CursorPage, mapYielding, type OwnedRecording } from "@tapedeck/core"
import type { Pagination, Recording, User } from "@tapedeck/domain"
import { Effect } from "effect"
import { jsonPieces, Pieces } from "../../responses.ts"
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

/** Of a list that is read by cursor. */
export const wireCursorPage = ({ count, isExact, nextCursor }: CursorPage<unknown>, items: number) => ({
  count,
  count_is_exact: isExact,
  items,
  ...(nextCursor !== undefined && { next_cursor: nextCursor })
})

/** One recording's JSON in UTF-8: alone, and with the comma that follows another one's in a list. */
export interface ReadyJson {
  readonly bytes: Uint8Array
  readonly following: Uint8Array
}

/** The JSON of a value, for a list. */
export const listedJson = (value: unknown): ReadyJson => {
  const following = Buffer.from(`,${JSON.stringify(value)}`)
  return { bytes: following.subarray(1), following }
}

/** With what besides the recording itself it was made of. */
interface Ready extends ReadyJson {
  readonly owner: User | null
  readonly publicUrl: string
  readonly vendor: string
}

/** A constructor that returns its argument, so that a subclass can add a private field to any object. */
class Itself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is how the field gets onto the object
    return object
  }
}

/**
 * JSON of recordings, each serialised once and cached as long as the store returns the same object. A change makes a new object,
 * so no stale JSON is sent; responses are not cached as a whole. With a store that makes a new object for each read, nothing is
 * cached.
 *
 * The cache is a private field of the recording: like a `WeakMap`, but cheaper for look-ups and for the garbage collector. Other
 * code does not see the field, and copies do not contain it.
 */
export const readyJson = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  class Cached extends Itself {
    #ready: Ready | undefined = undefined
    static on(recording: Recording): Ready | undefined {
      return #ready in recording ? (recording as unknown as Cached).#ready : undefined
    }
    static put(recording: Recording, ready: Ready) {
      const cached = #ready in recording ? (recording as unknown as Cached) : new Cached(recording)
      cached.#ready = ready
    }
  }

  return (owned: OwnedRecording, config: RecordingConfig): ReadyJson => {
    const { owner, recording } = owned
    const cached = Cached.on(recording)
    if (cached?.owner === owner && cached.publicUrl === config.publicUrl && cached.vendor === config.vendor)
      return cached
    const { publicUrl, vendor } = config
    const ready: Ready = { ...listedJson(toWire(owned, config)), owner, publicUrl, vendor }
    Cached.put(recording, ready)
    return ready
  }
}

const tail = Buffer.from("]}")

/** The answer of a list, `{"pagination":…,"records":[…]}`. A large page is written in parts, between which other requests run. */
export const listAnswer = <Item>(
  pagination: WirePagination | ReturnType<typeof wireCursorPage>,
  items: ReadonlyArray<Item>,
  toJson: (item: Item) => ReadyJson
) =>
  Effect.map(
    mapYielding(items, toJson, ({ bytes }) => bytes.length),
    (records) => jsonPieces(listBody(pagination, records))
  )

/** A page of a list, `{"pagination":…,"records":[…]}`, of records whose JSON is ready. */
export const listBody = (
  pagination: WirePagination | ReturnType<typeof wireCursorPage>,
  records: ReadonlyArray<ReadyJson>,
  key = "records"
): Pieces => {
  const head = Buffer.from(`{"pagination":${JSON.stringify(pagination)},"${key}":[`)
  const listed = records.map(({ bytes, following }, index) => (index === 0 ? bytes : following))
  return new Pieces([head, ...listed, tail])
}
