import type { Forbidden } from "@tapedeck/contract"
import { settings } from "@tapedeck/contract"
import { type Operation, operations } from "@tapedeck/core"
import { Layer } from "effect"
import { type Answer, permittedTo, type Route } from "../middleware.ts"

/** Group and endpoint name the operation: `folders.create`. */
const permitted = <E>(next: Answer<E>, { endpoint, group }: Route): Answer<E | Forbidden> => {
  const operation = `${group.identifier}.${endpoint.identifier}`
  if (!isOperation(operation)) throw new Error(`there is no operation ${operation}`)
  return permittedTo(operation, next)
}

const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)

/** The settings API's own middlewares; v2's are there too (authentication, limits, queries). */
export const middleware = Layer.mergeAll(
  Layer.succeed(settings.MemberAccess, permitted),
  Layer.succeed(settings.AdminAccess, permitted),
  Layer.succeed(settings.AdminSession, permitted),
  Layer.succeed(settings.SessionOnly, permitted)
)
