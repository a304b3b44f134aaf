import { settings } from "@tapedeck/contract"
import { AccountSettings, UserSettings } from "@tapedeck/core"
import type { Account, User } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { wirePagination } from "../wire/pagination.ts"
import { wireUser } from "../wire/user.ts"
import { objectBody } from "./body.ts"
import { refused } from "./refusals.ts"

const wireManagedUser = (user: User): settings.User => ({ id: user.id, ...wireUser(user), active: user.active })

/** The users of the account. */
export const users = HttpApiBuilder.group(settings.Api, "users", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* UserSettings
        const page = yield* list(yield* CurrentCaller, query.page ?? 1)
        return { pagination: wirePagination(page.pagination), users: page.items.map(wireManagedUser) }
      })
    )
    .handleRaw(
      "invite",
      Effect.fnUntraced(function* ({ request }) {
        const { invite } = yield* UserSettings
        const input = yield* objectBody(request)
        return wireManagedUser(yield* Effect.mapError(invite(yield* CurrentCaller, input), refused))
      })
    )
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* UserSettings
        return wireManagedUser(yield* Effect.mapError(get(yield* CurrentCaller, params.id), refused))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const { update } = yield* UserSettings
        const input = yield* objectBody(request)
        return wireManagedUser(yield* Effect.mapError(update(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "deactivate",
      Effect.fnUntraced(function* ({ params }) {
        const { deactivate } = yield* UserSettings
        return wireManagedUser(yield* Effect.mapError(deactivate(yield* CurrentCaller, params.id), refused))
      })
    )
    .handle(
      "reactivate",
      Effect.fnUntraced(function* ({ params }) {
        const { reactivate } = yield* UserSettings
        return wireManagedUser(yield* Effect.mapError(reactivate(yield* CurrentCaller, params.id), refused))
      })
    )
)

const wireAccount = ({ apiAccess, id, name }: Account): settings.Account => ({ id, name, api_access: apiAccess })

/** The caller's account. */
export const account = HttpApiBuilder.group(settings.Api, "account", (handlers) =>
  handlers
    .handle(
      "read",
      Effect.fnUntraced(function* () {
        const { get } = yield* AccountSettings
        return wireAccount(yield* get(yield* CurrentCaller))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ request }) {
        const { rename } = yield* AccountSettings
        const input = yield* objectBody(request)
        return wireAccount(yield* Effect.mapError(rename(yield* CurrentCaller, input), refused))
      })
    )
)
