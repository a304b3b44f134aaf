import { type AccessToken, type Instant, TokenId, type User } from "@tapedeck/domain"
import { formatToken, TOKEN_RANDOM_BYTES } from "@tapedeck/domain/internal/people"
import { Context, Effect, Layer } from "effect"
import { Unauthenticated } from "../errors.ts"
import { whenFull } from "../files/space.ts"
import { Ids } from "../Ids.ts"
import { now, withNow } from "../now.ts"
import { storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import type { Caller } from "./Caller.ts"

export interface NewToken {
  readonly user: User
  readonly name: string
  readonly kind: AccessToken["kind"]
  readonly text?: string
}

/** A token and its text, which the holder sends. */
export interface ReadableToken {
  readonly token: AccessToken
  readonly text: string
}

/** Minimum time between two writes of a token's last use: a write for each request would cost too much. */
const usedEveryMs = 60_000

/** Finds the user of an access token, and creates tokens (Authentication; R19). */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** Returns the caller of a token. An unknown token, a revoked one and a deactivated user's have the same refusal. */
    readonly authenticate: (token: string) => Effect.Effect<Caller, Unauthenticated>
    /** Creates a token of the user and returns its text. A start document may give the `text`. */
    readonly create: (options: NewToken) => Effect.Effect<string, never, Ids>
    /** The same, and returns the stored token too. */
    readonly issue: (options: NewToken) => Effect.Effect<ReadableToken, never, Ids>
  }
>()("@tapedeck/core/AccessTokens") {
  static readonly layer = Layer.effect(
    AccessTokens,
    Effect.gen(function* () {
      const store = yield* storeOf("tokens")
      const vault = yield* Vault

      /** Concurrent requests with one token write once. */
      const inFlight = new Set<TokenId>()
      const isUseKnown = ({ id, lastUsedAt }: AccessToken, at: Instant) =>
        inFlight.has(id) || (lastUsedAt !== null && at < lastUsedAt + usedEveryMs && at >= lastUsedAt)

      const use = (id: TokenId, at: Instant) =>
        Effect.suspend(() => {
          inFlight.add(id)
          return Effect.ensuring(
            whenFull(store.tokens.use(id, at), Effect.void),
            Effect.sync(() => inFlight.delete(id))
          )
        })

      const authenticate = (token: string) =>
        Effect.flatMap(store.tokens.holder(vault.hash(token)), (holder) => {
          if (holder === undefined || holder.token.revokedAt !== null || !holder.user.active) {
            return Effect.fail(new Unauthenticated())
          }
          const { account, token: found, user } = holder
          const caller: Caller = { user, account, tokenId: found.id, kind: found.kind }
          if (found.kind === "session") return Effect.succeed(caller)
          return withNow((at) =>
            isUseKnown(found, at) ? Effect.succeed(caller) : Effect.as(use(found.id, at), caller)
          )
        })

      const issue = Effect.fnUntraced(function* (options: NewToken) {
        const ids = yield* Ids
        const text = options.text ?? formatToken(yield* ids.bytes("access_token", TOKEN_RANDOM_BYTES))
        const token: AccessToken = {
          id: TokenId.make(yield* Ids.uuid("token")),
          userId: options.user.id,
          name: options.name,
          kind: options.kind,
          hash: vault.hash(text),
          sealed: yield* vault.seal(text),
          createdAt: yield* now,
          revokedAt: null,
          lastUsedAt: null
        }
        yield* store.tokens.save(token)
        return { token, text }
      })

      const create = (options: NewToken) => Effect.map(issue(options), ({ text }) => text)

      return AccessTokens.of({ authenticate, create, issue })
    })
  )
}
