import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../../audit/AuditLog.ts"
import { storeOf } from "../../store/Store.ts"
import { Vault } from "../../Vault.ts"

/** Denials of access tokens whose account is known (A4, A7). */
export class RefusedTokens extends Context.Service<
  RefusedTokens,
  {
    /**
     * Records in the audit log that a revoked token, or one of a deactivated user, was refused, once an hour for each token (A8).
     * Does nothing for an unknown token.
     */
    readonly note: (token: string) => Effect.Effect<void>
  }
>()("@tapedeck/core/RefusedTokens") {
  static readonly layer = Layer.effect(
    RefusedTokens,
    Effect.gen(function* () {
      const store = yield* storeOf("tokens")
      const vault = yield* Vault
      const log = yield* AuditLog

      const note = Effect.fnUntraced(function* (text: string) {
        const holder = yield* store.tokens.holder(vault.hash(text))
        if (holder === undefined) return
        const { account, token, user } = holder
        yield* log.recordDenial({
          accountId: account.id,
          user,
          operation: `token ${token.id}`,
          target: { type: "api_token", id: token.id }
        })
      })

      return RefusedTokens.of({ note })
    })
  )
}
