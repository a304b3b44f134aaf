import { v2 } from "@tapedeck/contract"
import { Effect, type Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"

const authentication = (token: Redacted.Redacted) =>
  HttpApiMiddleware.layerClient(v2.Authentication, ({ next, request }) =>
    next(HttpClientRequest.bearerToken(request, token))
  )

/** The name of a user. Needs an `HttpClient`, such as `FetchHttpClient.layer`. */
export const nameOf = Effect.fnUntraced(function* (baseUrl: string, token: Redacted.Redacted, email: string) {
  const client = yield* HttpApiClient.make(v2.Api, { baseUrl }).pipe(Effect.provide(authentication(token)))
  const user = yield* client.users.search({ query: { email } })
  return user.name
})
