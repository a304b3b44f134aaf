import { type AccessToken, formatToken, TOKEN_RANDOM_BYTES, TokenId, type User } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "./Caller.ts"
import { Unauthenticated } from "./errors.ts"
import { Ids } from "./Ids.ts"
import { now } from "./now.ts"
import { Store } from "./Store.ts"
import { Vault } from "./Vault.ts"

export interface NewToken {
  readonly user: User
  readonly name: string
  readonly kind: AccessToken["kind"]
  readonly text?: string
}

/** A token and its text: what its holder sends. */
export interface ReadableToken {
  readonly token: AccessToken
  readonly text: string
}

/** Personal access tokens: whom one stands for, and how one is made (Authentication; R19). */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** The caller whom a token stands for. Unknown, revoked, and of a deactivated user: all the same refusal. */
    readonly authenticate: (token: string) => Effect.Effect<Caller, Unauthenticated>
    /** A new token of the user; `text` is for a start document that brings its own. Gives what the user will send. */
    readonly create: (options: NewToken) => Effect.Effect<string, never, Ids>
    /** The same; gives what is kept of it too. */
    readonly issue: (options: NewToken) => Effect.Effect<ReadableToken, never, Ids>
  }
>()("@tapedeck/core/AccessTokens") {
  static readonly layer = Layer.effect(
    AccessTokens,
    Effect.gen(function* () {
      const store = yield* Store
      const vault = yield* Vault

      const authenticate = (token: string) =>
        Effect.flatMap(store.tokens.holder(vault.hash(token)), (holder) =>
          holder === undefined || holder.token.revokedAt !== null || !holder.user.active
            ? Effect.fail(new Unauthenticated())
            : Effect.succeed<Caller>({
                user: holder.user,
                account: holder.account,
                tokenId: holder.token.id,
                kind: holder.token.kind
              })
        )

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
          revokedAt: null
        }
        yield* store.tokens.save(token)
        return { token, text }
      })

      const create = (options: NewToken) => Effect.map(issue(options), ({ text }) => text)

      return AccessTokens.of({ authenticate, create, issue })
    })
  )
}
