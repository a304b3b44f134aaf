import {
  type FolderId,
  type Pagination,
  type Platform,
  paginate,
  type Recording,
  type RecordingUuid,
  type User
} from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import type { NotFound } from "../errors.ts"
import type { Caller } from "../people/Caller.ts"
import { mayRead } from "../people/permissions.ts"
import { usersOf } from "../people/usersOf.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { sliceOf, storeOf } from "../store/Store.ts"
import { readableFinder } from "./recordingFinder.ts"

/** A recording and its owner. */
export interface OwnedRecording {
  readonly recording: Recording
  readonly owner: User | null
}

export interface TicketSearch {
  readonly ticketId: string
  readonly platform?: Platform
}

/**
 * The recordings that a caller may see. A `uuid` is what the caller wrote: one that is not a UUID, and one that the caller may not
 * see, are `NotFound` (R4, R5). `authorize` decides which calls are permitted.
 */
export class Recordings extends Context.Service<
  Recordings,
  {
    /** One page, newest first (R7), of what the caller may see. */
    readonly list: (
      caller: Caller,
      options: { readonly page: number; readonly ticket?: TicketSearch; readonly folderId?: FolderId }
    ) => Effect.Effect<{
      readonly pagination: Pagination
      readonly recordings: ReadonlyArray<OwnedRecording>
    }>
    readonly get: (caller: Caller, uuid: string) => Effect.Effect<OwnedRecording, NotFound>
    /** Returns those of the recordings that exist and that the caller may see, in any order. */
    readonly byUuids: (
      caller: Caller,
      uuids: ReadonlyArray<RecordingUuid>
    ) => Effect.Effect<ReadonlyArray<OwnedRecording>>
  }
>()("@tapedeck/core/Recordings") {
  static readonly layer = Layer.effect(
    Recordings,
    Effect.gen(function* () {
      const store = yield* storeOf("recordings", "users")
      const config = yield* ServiceConfig
      const find = readableFinder(store)

      const withOwner = Effect.fnUntraced(function* (recording: Recording) {
        const owner = recording.ownerId === null ? undefined : yield* store.users.byId(recording.ownerId)
        return { recording, owner: owner ?? null }
      })

      const withOwners = Effect.fnUntraced(function* (caller: Caller, recordings: ReadonlyArray<Recording>) {
        const owners = yield* usersOf(
          store,
          recordings.map(({ ownerId }) => ownerId),
          caller.user
        )
        return recordings.map((recording): OwnedRecording => {
          const { ownerId } = recording
          return { recording, owner: ownerId === null ? null : (owners.get(ownerId) ?? null) }
        })
      })

      const list = Effect.fnUntraced(function* (
        caller: Caller,
        options: { readonly page: number; readonly ticket?: TicketSearch; readonly folderId?: FolderId }
      ) {
        const { folderId, page, ticket } = options
        const items = config.pageSize
        const part = yield* store.recordings.page(
          {
            accountId: caller.account.id,
            ...(caller.user.role === "admin" ? {} : { ownerId: caller.user.id }),
            ...(ticket === undefined ? {} : { ticket }),
            ...(folderId === undefined ? {} : { folderId })
          },
          sliceOf({ page, items })
        )
        const recordings = yield* withOwners(caller, part.items)
        return { pagination: paginate({ count: part.count, page, items }), recordings }
      })

      const byUuids = Effect.fnUntraced(function* (caller: Caller, uuids: ReadonlyArray<RecordingUuid>) {
        const recordings = yield* store.recordings.byUuids([...new Set(uuids)])
        return yield* withOwners(
          caller,
          recordings.filter((recording) => mayRead(caller, recording))
        )
      })

      return Recordings.of({
        list,
        byUuids,
        get: (caller, uuid) => Effect.flatMap(find(caller, uuid), withOwner)
      })
    })
  )
}
