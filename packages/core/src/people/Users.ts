import { type Pagination, paginate, type User } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { sliceOf, storeOf } from "../store/Store.ts"
import type { Caller } from "./Caller.ts"

/** The active users of the caller's account (R24; GET /users, GET /users/search). `authorize` decides which calls are permitted. */
export class Users extends Context.Service<
  Users,
  {
    /** One page, oldest first (R7); a page past the end is empty (R9). */
    readonly list: (
      caller: Caller,
      page: number
    ) => Effect.Effect<{
      readonly pagination: Pagination
      readonly users: ReadonlyArray<User>
    }>
    /** Finds a user by e-mail address, without regard to case (R16). */
    readonly search: (caller: Caller, email: string) => Effect.Effect<User, NotFound>
  }
>()("@tapedeck/core/Users") {
  static readonly layer = Layer.effect(
    Users,
    Effect.gen(function* () {
      const store = yield* storeOf("users")
      const config = yield* ServiceConfig

      const list = Effect.fn("Users.list")(function* (caller: Caller, page: number) {
        const slice = sliceOf({ page, items: config.pageSize })
        const { count, items } = yield* store.users.page({ accountId: caller.account.id, activeOnly: true }, slice)
        return { pagination: paginate({ count, page, items: config.pageSize }), users: items }
      })

      const search = Effect.fn("Users.search")(function* (caller: Caller, email: string) {
        const user = yield* store.users.byEmail(email)
        if (user === undefined || !user.active || user.accountId !== caller.account.id)
          return yield* new NotFound({ what: "User" })
        return user
      })

      return Users.of({ list, search })
    })
  )
}
