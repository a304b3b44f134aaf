import type { Operation, Permission } from "@tapedeck/domain/internal"
import { Context } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AdminAccess, AdminSession, Anyone, MemberAccess, SessionOnly } from "./settings/middleware.ts"
import * as v1 from "./v1/middleware.ts"
import * as v2 from "./v2/middleware.ts"

/** The permission that each middleware stands for; null: none is needed. */
const permissions = new Map<unknown, Permission | null>([
  [v1.ApiAccess, "member"],
  [v2.ApiAccess, "member"],
  [v2.AdminOnly, "admin"],
  [MemberAccess, "member"],
  [AdminAccess, "admin"],
  [SessionOnly, "session"],
  [AdminSession, "admin_session"],
  [Anyone, null]
])

/** The operation that an endpoint declares; null if anyone may call it. */
export const operationOf = ({ annotations, middlewares }: HttpApiEndpoint.Top): Operation | null => {
  const id = Context.get(annotations as Context.Context<OpenApi.Identifier>, OpenApi.Identifier)
  const [permission, ...others] = [...middlewares].flatMap((middleware) => {
    const needed = permissions.get(middleware)
    return needed === undefined ? [] : [needed]
  })
  if (permission === undefined || others.length > 0) throw new Error(`${id} does not say who may call it`)
  return permission && { id, permission }
}
