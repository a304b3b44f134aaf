import type { RecordingUuid, User } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { ChangesForgotten, InputMalformed } from "../errors.ts"
import { cursorOf, placeIn } from "../input/cursors.ts"
import type { Caller } from "../people/Caller.ts"
import { usersOf } from "../people/usersOf.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { type ChangedRecordings, type ChangesRequest, type CommitPlace, startOfMark, storeOf } from "../store/Store.ts"
import type { OwnedRecording } from "./Recordings.ts"

/** A recording that was changed; or, without `recording`, one that the caller no longer sees. */
export type RecordingUpdate = OwnedRecording | { readonly removed: RecordingUuid }

/** The next changes. The list continues at `nextSince`, now if it `hasMore`, and later otherwise. */
export interface RecordingUpdates {
  readonly items: ReadonlyArray<RecordingUpdate>
  readonly nextSince: string
  readonly hasMore: boolean
}

/** Changes of recordings in the order of commits (docs/adr/0051-changes-in-the-order-of-commits.md). */
export class RecordingChanges extends Context.Service<
  RecordingChanges,
  {
    /** Lists changes after an earlier answer's `nextSince`; with an empty text, all recordings. */
    readonly list: (caller: Caller, since: string) => Effect.Effect<RecordingUpdates, ChangesForgotten | InputMalformed>
  }
>()("@tapedeck/core/RecordingChanges") {
  static readonly layer = Layer.effect(
    RecordingChanges,
    Effect.gen(function* () {
      const store = yield* storeOf("recordings", "users")
      const { pageSize } = yield* ServiceConfig

      const owned = Effect.fnUntraced(function* (caller: Caller, { changes }: ChangedRecordings) {
        const ids = changes.map(({ recording }) => recording?.ownerId ?? null)
        const owners = yield* usersOf(store, ids, caller.user)
        return changes.map(({ recording, uuid }): RecordingUpdate => {
          if (recording === null) return { removed: uuid }
          const { ownerId } = recording
          return { recording, owner: ownerId === null ? null : (owners.get(ownerId) ?? null) }
        })
      })

      const list = Effect.fnUntraced(function* (caller: Caller, since: string) {
        const view = viewOf(caller.user)
        const cursor = since === "" ? undefined : yield* cursorIn(since)
        if (cursor !== undefined && cursor.view !== view) return yield* new ChangesForgotten()
        const found = yield* store.recordings.changesSince(requestOf(caller, cursor, pageSize))
        if (!found.isContinuous) return yield* new ChangesForgotten()
        const items = yield* owned(caller, found)
        return { items, hasMore: found.hasMore, nextSince: textOf(cursorAfter(view, cursor, found)) }
      })

      return RecordingChanges.of({ list })
    })
  )
}

/** A position in the changes. */
interface Cursor {
  readonly origin: string
  readonly view: string
  readonly place: CommitPlace
  /**
   * A mark from which the list starts again at its end, because older transactions were running when it was read beyond them; null
   * while everything up to `place` is complete.
   */
  readonly again: number | null
  readonly removalsFrom: number
  /** The highest mark that was read. */
  readonly seen: number
}

/** View of the caller: another user, and a user whose role has changed, cannot continue the list. */
const viewOf = ({ accountId, id, role }: User): string =>
  role === "admin" ? `account ${accountId}` : `owner ${accountId} ${id}`

const requestOf = ({ account, user }: Caller, cursor: Cursor | undefined, limit: number): ChangesRequest => ({
  accountId: account.id,
  ...(user.role !== "admin" && { ownerId: user.id }),
  after: cursor?.place ?? null,
  ...(cursor !== undefined && {
    removalsFrom: cursor.removalsFrom,
    origin: { name: cursor.origin, seen: cursor.seen }
  }),
  limit
})

const cursorAfter = (view: string, before: Cursor | undefined, found: ChangedRecordings): Cursor => {
  const { hasMore, horizon, last, origin } = found
  const isBeyond = last !== null && last.mark >= horizon
  const again = before?.again ?? (isBeyond ? horizon : null)
  const seen = Math.max(before?.seen ?? 0, last?.mark ?? 0)
  if (hasMore && last !== null) {
    return { origin, view, place: last, again, removalsFrom: before?.removalsFrom ?? horizon, seen }
  }
  // Everything below the horizon has been read.
  const end = again ?? horizon
  return { origin, view, place: startOfMark(end), again: null, removalsFrom: 0, seen: Math.max(seen, end) }
}

const name = "recording changes"
const types = ["string", "string", "number", "number", "number", "number", "number", "number"] as const
const none = -1

const textOf = ({ again, origin, place, removalsFrom, seen, view }: Cursor): string =>
  cursorOf(name, origin, view, place.mark, place.rank, place.id, again ?? none, removalsFrom, seen)

const refused = new InputMalformed({ reason: "updated_since must be empty, or the next_since of an earlier answer" })

const cursorIn = (text: string): Effect.Effect<Cursor, InputMalformed> =>
  Effect.mapBoth(placeIn(name, text, ...types), {
    onFailure: () => refused,
    onSuccess: (values) => {
      const [origin, view, mark, rank, id, again, removalsFrom, seen] = values as readonly [
        string,
        string,
        number,
        number,
        number,
        number,
        number,
        number
      ]
      return { origin, view, place: { mark, rank, id }, again: again === none ? null : again, removalsFrom, seen }
    }
  })
