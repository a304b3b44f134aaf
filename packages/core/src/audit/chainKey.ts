import * as NodeCrypto from "node:crypto"
import type { Mac } from "@tapedeck/domain/audit"
import { Data, Effect } from "effect"
import { Ids } from "../Ids.ts"
import type { AuditSealRepository } from "../store/Store.ts"
import { Vault } from "../Vault.ts"

/** The chains' key cannot be used; the message says why. */
export class ChainKeyRefused extends Data.TaggedError("ChainKeyRefused")<{ readonly why: "gone" | "another" }> {
  override get message(): string {
    return this.why === "gone"
      ? "The key of the audit chains was removed from the database"
      : "The key of the audit chains was replaced"
  }
}

/** Prefix of the key's text. No token and no JSON text begins with it, so another sealed text in the key's place is detected. */
const LABEL = "tapedeck audit chain key "

/**
 * The keyed hash of a chain, from its sealed key. The chains have a key of their own, which the vault's key seals: rotating the
 * vault's key does not change the chains, and a link cannot be made with the database alone.
 */
export const macOf = Effect.fnUntraced(function* (sealed: string): Effect.fn.Return<Mac, ChainKeyRefused, Vault> {
  const vault = yield* Vault
  const text = yield* Effect.catchDefect(vault.open(sealed), () => new ChainKeyRefused({ why: "another" }))
  if (!text.startsWith(LABEL)) return yield* new ChainKeyRefused({ why: "another" })
  const key = NodeCrypto.createSecretKey(Buffer.from(text.slice(LABEL.length), "base64"))
  return (content) => NodeCrypto.createHmac("sha256", key).update(content).digest("base64url")
})

/** Returns the keyed hash for the next links, and creates the key for the first. A chain whose key is missing is not continued. */
export const macToSeal = Effect.fnUntraced(function* (seals: AuditSealRepository) {
  const sealed = yield* seals.chainKey
  if (sealed !== undefined) return yield* macOf(sealed)
  if ((yield* seals.lastSealed) > 0) return yield* new ChainKeyRefused({ why: "gone" })
  const [ids, vault] = [yield* Ids, yield* Vault]
  const made = yield* vault.seal(LABEL + Buffer.from(yield* ids.bytes("audit_chain", 32)).toString("base64"))
  yield* seals.saveChainKey(made)
  return yield* macOf(made)
})
