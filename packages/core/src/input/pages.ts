import { type Pagination, paginate } from "@tapedeck/domain"
import { Effect } from "effect"
import { ServiceConfig } from "../ServiceConfig.ts"
import { type Part, type Slice, sliceOf } from "../store/Store.ts"

/** One page of a list, and its position in the list. */
export interface Page<Item> {
  readonly pagination: Pagination
  readonly items: ReadonlyArray<Item>
}

/** Returns the function that pages lists: it reads page `page` (from 1) of what `read` reads in parts. */
export const pager = Effect.map(
  ServiceConfig,
  ({ pageSize: items }) =>
    <Item, E, R>(page: number, read: (slice: Slice) => Effect.Effect<Part<Item>, E, R>) =>
      Effect.map(
        read(sliceOf({ page, items })),
        (part): Page<Item> => ({ pagination: paginate({ count: part.count, page, items }), items: part.items })
      )
)
