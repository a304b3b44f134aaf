import type { Operation, Permission } from "@tapedeck/domain/internal/people"
import { Context } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AdminAccess, AdminSession, Anyone, MemberAccess, SessionOnly } from "./settings/middleware.ts"
import * as v1 from "./v1/middleware.ts"
import * as v2 from "./v2/middleware.ts"

/** The permission that each middleware requires; null for none. */
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

/** Returns the operation that an endpoint declares; null if the endpoint requires no permission. */
export const operationOf = ({ annotations, middlewares }: HttpApiEndpoint.Top): Operation | null => {
  const id = Context.get(annotations as Context.Context<OpenApi.Identifier>, OpenApi.Identifier)
  const declared = [...middlewares].flatMap((middleware) => {
    const permission = permissions.get(middleware)
    return permission === undefined ? [] : [permission]
  })
  const [permission] = declared
  if (permission === undefined || declared.length > 1) {
    throw new Error(`${id} must have exactly one middleware that gives a permission; it has ${declared.length}`)
  }
  return permission && { id, permission }
}
