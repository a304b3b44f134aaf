import { BadRequest, type Forbidden, settings } from "@tapedeck/contract"
import { type Operation, operations } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Answer, asked, permittedTo, type Route } from "../middleware.ts"
import { checkQuery, parametersOf } from "../queryParameters.ts"
import { optionalObjectBody } from "./body.ts"
import { idempotent } from "./idempotency.ts"

/** Group and endpoint name the operation: `folders.create`. */
const permitted = <E>(next: Answer<E>, { endpoint, group }: Route): Answer<E | Forbidden> => {
  const operation = `${group.identifier}.${endpoint.identifier}`
  if (!isOperation(operation)) throw new Error(`there is no operation ${operation}`)
  return permittedTo(operation, known(next, endpoint))
}

/** Nothing of a request is ignored silently: neither a query parameter nor a key of a body that the endpoint does not take. */
const known = <E>(next: Answer<E>, endpoint: Route["endpoint"]): Answer<E> => {
  const query = checkQuery(parametersOf(endpoint), "refused")
  const takesNoBody = endpoint.payload.size === 0 && endpoint.method !== "GET"
  return asked("v2", takesNoBody ? Effect.andThen(query, noBody) : query, next)
}

/** A body without keys is none. */
const noBody = Effect.gen(function* () {
  const body = yield* optionalObjectBody(yield* HttpServerRequest.HttpServerRequest)
  const [key] = Object.keys(body)
  if (key !== undefined) return yield* new BadRequest({ message: `${key}: unknown key: this takes no body` })
})

const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)

/** The settings API's own middlewares; v2's are there too (authentication, limits, queries). */
export const middleware = Layer.mergeAll(
  Layer.succeed(settings.Anyone, (next, { endpoint }) => known(next, endpoint)),
  Layer.succeed(settings.MemberAccess, permitted),
  Layer.succeed(settings.AdminAccess, permitted),
  Layer.succeed(settings.AdminSession, permitted),
  Layer.succeed(settings.SessionOnly, permitted),
  Layer.succeed(settings.IdempotentPost, idempotent)
)
