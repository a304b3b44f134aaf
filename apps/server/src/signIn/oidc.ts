import { Ids, now, SignIn, Vault } from "@tapedeck/core"
import { type Connection, readCookie, splitTarget, withCookie } from "@tapedeck/http"
import { Effect, Schema } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as OpenIdClient from "openid-client"
import { isRefusal } from "./oidcRefusal.ts"

type Client = typeof OpenIdClient

/** The configured OpenID Connect provider. */
export interface Provider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** An address counts as verified if the provider says nothing about it. */
  readonly trustsEmail: boolean
  /** The redirect URL of the provider. */
  readonly redirectUri: string
}

/**
 * `unreachable`: the provider does not respond, or not as it should; `refused`: it refused, or its response cannot be trusted;
 * `forgotten`: the browser did not start here, or too long ago. `why` is for the log.
 */
export class OidcFailed extends Schema.TaggedError<OidcFailed>()("OidcFailed", {
  reason: Schema.Literals(["unreachable", "refused", "forgotten"]),
  why: Schema.String
}) {
  override get message() {
    return this.why
  }
}

/** State of a sign-in that the browser stores, encrypted, while its user is at the provider. */
const Flow = Schema.fromJsonString(
  Schema.Struct({
    state: Schema.String,
    nonce: Schema.String,
    verifier: Schema.String,
    next: Schema.String,
    startedAt: Schema.Number
  })
)

const FLOW_COOKIE = "oidc"

/** Maximum time at the provider. */
const flowMs = 10 * 60_000

const timeoutSeconds = 10

/** The text for the log: the provider's error code, and no data that was sent or received. */
const inShort = (error: unknown): string => {
  const { code, error: named, message } = error as { code?: unknown; error?: unknown; message?: unknown }
  return [message, code, named].filter((part) => typeof part === "string").join("; ")
}

const failureOf = (error: unknown): OidcFailed =>
  new OidcFailed({ reason: isRefusal(error) ? "refused" : "unreachable", why: inShort(error) })

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, OidcFailed> =>
  Effect.tryPromise({ try: run, catch: failureOf }).pipe(
    Effect.tapError(({ why }) => Effect.logWarning("sign-in with the OpenID Connect provider failed", { reason: why }))
  )

/**
 * Authenticates this server as the provider's metadata say: in the header if they list `client_secret_basic`, or nothing (RFC 8414
 * §2), which is also the default of a client's registration; in the body if they list `client_secret_post` alone.
 */
const authenticationOf = (client: Client, secret: string | undefined): OpenIdClient.ClientAuth => {
  if (secret === undefined) return client.None()
  const post = client.ClientSecretPost(secret)
  return (server, { client_id: id }, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    const isPost = methods.includes("client_secret_post") && !methods.includes("client_secret_basic")
    if (isPost) return post(server, { client_id: id }, body, headers)
    headers.set("authorization", `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64")}`)
  }
}

/**
 * Returns the text in the encoding of RFC 6749 §2.3.1. `ClientSecretBasic` of the client also encodes `-`, `_` and `.`, which providers that do not
 * decode would read as another secret.
 */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/** Claims of a provider about the address of a user, in an ID token or at its userinfo endpoint. */
type Claims = Readonly<Record<string, unknown>>

const isStated = (value: unknown): boolean => value !== undefined && value !== null

/** Returns the address, and whether it is verified. Claims of userinfo about another address do not count for the token's. */
const identityOf = (token: Claims, userinfo: Claims | undefined, trustsEmail: boolean) => {
  const isOfUserinfo = userinfo !== undefined && (typeof token.email !== "string" || token.email === userinfo.email)
  const { email, email_verified: verified } = isOfUserinfo ? { ...token, ...userinfo } : token
  return {
    email: typeof email === "string" ? email : "",
    // Some providers write booleans as text.
    isVerified: isStated(verified) ? String(verified) === "true" : trustsEmail
  }
}

interface Ready {
  readonly client: Client
  readonly configuration: OpenIdClient.Configuration
}

interface Discovered {
  /** The store's clock minus this machine's. */
  readonly skewSeconds: number
  readonly answer: Promise<Ready>
}

/** Below the tolerance for tokens' times, which is 30 s. */
const maxSkewSeconds = 5

/**
 * Sign-in with a provider: the authorization code flow with PKCE, `state` and `nonce`. The client and the provider's metadata
 * are loaded with the first sign-in.
 */
export const makeOidc = (provider: Provider) => {
  let discovered: Discovered | undefined

  const discover = (skewSeconds: number): Discovered => {
    const { clientId, clientSecret, issuer } = provider
    const answer = async () => {
      const client = await import("openid-client")
      const authentication = authenticationOf(client, clientSecret)
      const metadata = { [client.clockSkew]: skewSeconds }
      const configuration = await client.discovery(new URL(issuer), clientId, metadata, authentication, {
        timeout: timeoutSeconds,
        execute: [
          // A token is valid by its signature, not only by its transport over TLS.
          client.enableNonRepudiationChecks,
          ...(issuer.startsWith("http:") ? [client.allowInsecureRequests] : [])
        ]
      })
      return { client, configuration }
    }
    return { skewSeconds, answer: answer() }
  }

  /**
   * Calls the provider. Its metadata are read again by the first call after a failure, because its addresses may have changed, and
   * when this machine's clock was set: tokens are judged by the store's.
   */
  const withProvider = Effect.fnUntraced(function* <A>(call: (ready: Ready) => Promise<A>) {
    const skewSeconds = Math.round(((yield* now) - Date.now()) / 1_000)
    if (discovered === undefined || Math.abs(discovered.skewSeconds - skewSeconds) > maxSkewSeconds) {
      discovered = discover(skewSeconds)
    }
    const mine = discovered
    return yield* Effect.tapError(
      attempt(() => mine.answer.then(call)),
      ({ reason }) =>
        Effect.sync(() => {
          if (reason === "unreachable" && discovered === mine) discovered = undefined
        })
    )
  })

  /** Redirects the browser to the provider. `answer` makes the response. */
  const start = Effect.fnUntraced(function* (
    connection: Connection,
    next: string,
    answer: (location: string) => HttpServerResponse.HttpServerResponse
  ) {
    const { client, configuration } = yield* withProvider((ready) => Promise.resolve(ready))
    const [vault, ids] = [yield* Vault, yield* Ids]
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      next,
      startedAt: yield* now
    }
    const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(flow.verifier))
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: provider.redirectUri,
      scope: "openid email profile",
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: flow.state,
      nonce: flow.nonce
    })
    const sealed = yield* Effect.provideService(vault.seal(JSON.stringify(flow)), Ids, ids)
    return withCookie(answer(url.href), connection, {
      name: FLOW_COOKIE,
      value: Buffer.from(sealed, "base64").toString("base64url"),
      maxAgeSeconds: flowMs / 1000
    })
  })

  const flowOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, connection: Connection) {
    const vault = yield* Vault
    const cookie = readCookie(request, connection, FLOW_COOKIE)
    const forgotten = new OidcFailed({ reason: "forgotten", why: "the browser has not begun here" })
    if (cookie === undefined) return yield* forgotten
    const text = yield* Effect.catchDefect(vault.open(cookie), () => Effect.fail(forgotten))
    const flow = yield* Effect.mapError(Schema.decodeEffect(Flow)(text), () => forgotten)
    return (yield* now) < flow.startedAt + flowMs ? flow : yield* forgotten
  })

  /** Handles the return from the provider and signs the user in. `previous`: as with a password. */
  const finish = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    connection: Connection,
    previous: string | undefined
  ) {
    const flow = yield* flowOf(request, connection)
    const returned = new URL(`${provider.redirectUri}?${splitTarget(request.url).query}`)
    const identity = yield* withProvider(async ({ client, configuration }) => {
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new Error("no ID token in the response")
      const isComplete = typeof claims.email === "string" && (provider.trustsEmail || isStated(claims.email_verified))
      const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
      const userinfo =
        isComplete || !hasUserinfo
          ? undefined
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return identityOf(claims, userinfo, provider.trustsEmail)
    })
    const { withIdentity } = yield* SignIn
    const admitted = yield* withIdentity(identity, previous)
    return { admitted, next: flow.next }
  })

  const forget = (response: HttpServerResponse.HttpServerResponse, connection: Connection) =>
    withCookie(response, connection, { name: FLOW_COOKIE, value: "", maxAgeSeconds: 0 })

  return { start, finish, forget }
}
