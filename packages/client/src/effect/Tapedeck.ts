import { settings, v1, v2 } from "@tapedeck/contract"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { type Resolved, resolve } from "../settings.ts"
import { operationsOf } from "./methods.ts"
import type { SettingsOperations, V1Operations, V2Operations } from "./Operations.ts"
import { sender } from "./send.ts"
import { tolerant } from "./tolerant.ts"

/** As of the other client; what it has besides is the `HttpClient`'s, which is the caller's to give. */
export interface TapedeckOptions {
  /** Address of the service, without `/api`: `https://rec.acme.example`. Default in Node: `TAPEDECK_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /** Personal access token. Default in Node: `TAPEDECK_TOKEN`. Null sends none, for a page with a session cookie. */
  readonly token?: string | Redacted.Redacted | null | undefined
  /** How often a request is retried at most: 2. 0 means never. */
  readonly maxRetries?: number | undefined
  /** Longest wait for response headers, and then between two pieces of the body: 60,000 ms. */
  readonly timeoutMs?: number | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** All operations: v2 at the top, the legacy API as `v1`, and what the settings screens do as `settings`. */
export interface TapedeckOperations extends V2Operations {
  readonly v1: V1Operations
  readonly settings: SettingsOperations
}

/** Puts the token on the requests of the groups that ask for it. */
const authentication = ({ token }: Resolved) => {
  const authorized = (request: HttpClientRequest.HttpClientRequest) =>
    token === null ? request : HttpClientRequest.bearerToken(request, Redacted.make(token))
  return Layer.merge(
    HttpApiMiddleware.layerClient(v2.Authentication, ({ next, request }) => next(authorized(request))),
    HttpApiMiddleware.layerClient(v1.Authentication, ({ next, request }) => next(authorized(request)))
  )
}

const make = Effect.fnUntraced(function* ({ token, ...options }: TapedeckOptions) {
  const resolved = resolve({ ...options, token: Redacted.isRedacted(token) ? Redacted.value(token) : token }, undefined)
  const { baseUrl, timeoutMs } = resolved
  const client = yield* HttpClient.HttpClient
  const httpClient = sender(client, resolved, (error) => ({ error }))
  const ofLegacy = sender(client, resolved, (message, code) => ({ error: { message, code } }))
  const clients = Effect.all([
    HttpApiClient.makeWith(tolerant(v2.Api), { httpClient, baseUrl }),
    HttpApiClient.makeWith(tolerant(v1.Api), { httpClient: ofLegacy, baseUrl }),
    HttpApiClient.makeWith(tolerant(settings.Api), { httpClient, baseUrl })
  ])
  const [ofV2, ofV1, ofSettings] = yield* Effect.provide(clients, authentication(resolved))
  const { recordings, users } = operationsOf(v2.Api, ofV2, timeoutMs) as V2Operations
  return Tapedeck.of({
    // The change is given without the `recording` around it.
    recordings: { ...recordings, update: (uuid, body) => recordings.update(uuid, { recording: body } as never) },
    users,
    v1: operationsOf(v1.Api, ofV1, timeoutMs) as V1Operations,
    settings: operationsOf(settings.Api, ofSettings, timeoutMs) as SettingsOperations
  })
})

/**
 * A client of one Tapedeck service. Its layer needs an `HttpClient`, such as `FetchHttpClient.layer`.
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const tapedeck = yield* Tapedeck
 *   return yield* tapedeck.recordings.get(uuid)
 * })
 * program.pipe(Effect.provide(Tapedeck.layer({ baseUrl, token })), Effect.provide(FetchHttpClient.layer))
 * ```
 */
export class Tapedeck extends Context.Service<Tapedeck, TapedeckOperations>()("@tapedeck/client/effect/Tapedeck") {
  /** Dies with a `TypeError` where an option is wrong, or `baseUrl` or `token` is missing. */
  static readonly layer = (options: TapedeckOptions = {}): Layer.Layer<Tapedeck, never, HttpClient.HttpClient> =>
    Layer.effect(Tapedeck, make(options))
}
