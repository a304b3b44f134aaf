import * as NodeCrypto from "node:crypto"
import type { Mac } from "@tapedeck/domain"
import { Data, Effect } from "effect"
import { Ids } from "../Ids.ts"
import type { AuditSealRepository } from "../Store.ts"
import { Vault } from "../Vault.ts"

/** The chains' key cannot be used; the message says why. */
export class ChainKeyRefused extends Data.TaggedError("ChainKeyRefused")<{ readonly why: "gone" | "another" }> {
  override get message(): string {
    return this.why === "gone"
      ? "The key of the audit log's chains is gone from the database: it was taken away"
      : "The key of the audit log's chains is not the one that was made for them: it was replaced"
  }
}

/** No token and no JSON text begins so: another sealed text of the database, in the key's place, is found out. */
const LABEL = "tapedeck audit chain key "

/**
 * The keyed hash of a chain, from its sealed key. The key is one of its own, and is only kept by the vault's: the chains
 * stay as they are when that one is rotated, and nobody who has the database alone can make a link.
 */
export const macOf = Effect.fnUntraced(function* (sealed: string): Effect.fn.Return<Mac, ChainKeyRefused, Vault> {
  const vault = yield* Vault
  const text = yield* Effect.catchDefect(vault.open(sealed), () => new ChainKeyRefused({ why: "another" }))
  if (!text.startsWith(LABEL)) return yield* new ChainKeyRefused({ why: "another" })
  const key = NodeCrypto.createSecretKey(Buffer.from(text.slice(LABEL.length), "base64"))
  return (content) => NodeCrypto.createHmac("sha256", key).update(content).digest("base64url")
})

/** The keyed hash for the next links. The first makes the key. A chain whose key is gone is not gone on with. */
export const macToSeal = Effect.fnUntraced(function* (seals: AuditSealRepository) {
  const sealed = yield* seals.chainKey
  if (sealed !== undefined) return yield* macOf(sealed)
  if ((yield* seals.lastSealed) > 0) return yield* new ChainKeyRefused({ why: "gone" })
  const [ids, vault] = [yield* Ids, yield* Vault]
  const made = yield* vault.seal(LABEL + Buffer.from(yield* ids.bytes("audit_chain", 32)).toString("base64"))
  yield* seals.keepChainKey(made)
  return yield* macOf(made)
})
