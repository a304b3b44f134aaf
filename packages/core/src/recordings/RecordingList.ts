import { orderKey, type SpokenMatch } from "@tapedeck/domain/internal/recordings"
import { Context, Effect, Layer } from "effect"
import type { InputMalformed } from "../errors.ts"
import { cursorOf, placeIn } from "../input/cursors.ts"
import type { Caller } from "../people/Caller.ts"
import { usersOf } from "../people/usersOf.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { type FoundRecordings, type ListPart, type RecordingSearch, storeOf } from "../store/Store.ts"
import type { OwnedRecording } from "./Recordings.ts"
import { spokenMatches } from "./spokenMatches.ts"

/** A recording of a search. */
export interface ListedRecording extends OwnedRecording {
  /** The sentence of its transcript that has words of the search, if there is one. */
  readonly match?: SpokenMatch
}

/** The next records of a list, and the cursor of the records after them; undefined at the end. */
export interface CursorPage<Item> extends ListPart<Item> {
  readonly nextCursor?: string
}

export type RecordingListOptions = Omit<RecordingSearch, "accountId"> & {
  readonly cursor?: string
  /** Maximum number of records of the page, up to the service's page size, which is the default. */
  readonly items?: number
}

/** The list of recordings with a search, filters and an order (settings screens). */
export class RecordingList extends Context.Service<
  RecordingList,
  {
    /** Lists the recordings that the caller can see. */
    readonly list: (
      caller: Caller,
      options: RecordingListOptions
    ) => Effect.Effect<CursorPage<ListedRecording>, InputMalformed>
  }
>()("@tapedeck/core/RecordingList") {
  static readonly layer = Layer.effect(
    RecordingList,
    Effect.gen(function* () {
      const store = yield* storeOf("recordings", "users")
      const config = yield* ServiceConfig
      const matchesOf = yield* spokenMatches

      const owned = Effect.fnUntraced(function* (
        caller: Caller,
        { items, spoken, ...found }: FoundRecordings,
        terms: RecordingListOptions["terms"] = []
      ) {
        const owners = yield* usersOf(
          store,
          items.map(({ ownerId }) => ownerId),
          caller.user
        )
        const matches = yield* matchesOf(items, spoken, terms)
        const all = items.map((recording): ListedRecording => {
          const { id, ownerId } = recording
          const match = matches.get(id)
          const owner = ownerId === null ? null : (owners.get(ownerId) ?? null)
          return { recording, owner, ...(match && { match }) }
        })
        return { ...found, items: all }
      })

      const list = Effect.fnUntraced(function* (
        caller: Caller,
        { cursor, items = config.pageSize, ...filter }: RecordingListOptions
      ) {
        const { order } = filter
        const pageSize = Math.min(items, config.pageSize)
        const name = `recordings ${order}`
        const [key, id] =
          cursor === undefined
            ? []
            : yield* placeIn(name, cursor, order.endsWith("title") ? "string" : "number", "number")
        const isMember = caller.user.role !== "admin"
        // A member sees only their own recordings.
        if (isMember && filter.ownerId !== undefined && filter.ownerId !== caller.user.id) {
          return { count: 0, isExact: true, items: [] }
        }
        const search = { ...filter, accountId: caller.account.id, ...(isMember && { ownerId: caller.user.id }) }
        const after = key === undefined ? null : { key, id: id as number }
        // One more than a page shows whether there is another.
        const found = yield* store.recordings.search(search, after, pageSize + 1)
        const page = yield* owned(caller, { ...found, items: found.items.slice(0, pageSize) }, filter.terms)
        const last = page.items.at(-1)?.recording
        if (found.items.length <= pageSize || last === undefined) return page
        return { ...page, nextCursor: cursorOf(name, orderKey(order, last), last.id) }
      })

      return RecordingList.of({ list })
    })
  )
}
