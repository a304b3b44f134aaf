import * as NodeCrypto from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { Ids } from "./Ids.ts"

const cachedHashes = 10_000

/** Maximum length of a cached text: longer ones are no tokens, and could make the cache as large as a caller likes. */
const maxCachedLength = 256

/**
 * Hashes and seals access tokens: they are found by a keyed hash, and can be read with the key (R19).
 * `hash` and `open` are pure; `seal` takes a nonce from `Ids`.
 */
export class Vault extends Context.Service<
  Vault,
  {
    readonly hash: (text: string) => string
    readonly seal: (text: string) => Effect.Effect<string, never, Ids>
    /** Dies if `sealed` was not made with this key. */
    readonly open: (sealed: string) => Effect.Effect<string>
  }
>()("@tapedeck/core/Vault") {
  /** `key`: at least 32 bytes; two keys are derived from it, one for hashes and one for AES-256-GCM. */
  static make(key: Redacted.Redacted<Uint8Array>): Vault["Service"] {
    const derive = (use: string) =>
      Buffer.from(NodeCrypto.hkdfSync("sha256", Redacted.value(key), "", `tapedeck/${use}`, 32))
    const hashKey = NodeCrypto.createSecretKey(derive("token-hash"))
    const sealKey = NodeCrypto.createSecretKey(derive("token-seal"))
    const hashOf = (text: string) => NodeCrypto.createHmac("sha256", hashKey).update(text).digest("base64url")
    // Most requests have one of a few tokens.
    const hashes = new Map<string, string>()
    const hash = (text: string) => {
      if (text.length > maxCachedLength) return hashOf(text)
      let found = hashes.get(text)
      if (found === undefined) {
        found = hashOf(text)
        if (hashes.size >= cachedHashes) hashes.clear()
        hashes.set(text, found)
      }
      return found
    }
    return {
      hash,
      seal: Effect.fnUntraced(function* (text) {
        const ids = yield* Ids
        const nonce = yield* ids.bytes("seal", 12)
        const cipher = NodeCrypto.createCipheriv("aes-256-gcm", sealKey, nonce)
        const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]
        return Buffer.concat(sealed).toString("base64")
      }),
      open: (sealed) =>
        Effect.sync(() => {
          const bytes = Buffer.from(sealed, "base64")
          const decipher = NodeCrypto.createDecipheriv("aes-256-gcm", sealKey, bytes.subarray(0, 12), {
            authTagLength: 16
          })
          decipher.setAuthTag(bytes.subarray(-16))
          return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8")
        })
    }
  }

  static readonly layer = (key: Redacted.Redacted<Uint8Array>) => Layer.succeed(Vault, Vault.make(key))
}
