import { v2 } from "@tapedeck/contract"
import { Users } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { notFound } from "../refusals.ts"
import { wirePagination } from "../wire/pagination.ts"
import { wireUser } from "../wire/user.ts"

/** GET /users and GET /users/search (specification, Endpoints). */
export const users = HttpApiBuilder.group(v2.Api, "users", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* Users
        const page = yield* list(yield* CurrentCaller, query.page ?? 1)
        return { pagination: wirePagination(page.pagination), users: page.users.map(wireUser) }
      })
    )
    .handle(
      "search",
      Effect.fnUntraced(function* ({ query }) {
        const { search } = yield* Users
        return wireUser(yield* Effect.mapError(search(yield* CurrentCaller, query.email), notFound))
      })
    )
)
