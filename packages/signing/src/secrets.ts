import { type HmacKey, importKey } from "#hmac"
import { decodeBase64 } from "./base64.ts"
import { SigningError } from "./errors.ts"

/** Text as the sender's settings show it, or the key's own bytes. */
export type Secret = string | Uint8Array

/** How a secret's text becomes the key: W1 says UTF-8, W2 says the decoded bytes of `whsec_…`, else UTF-8. */
export type KeyRule = "text" | "whsec"

interface Imported {
  readonly key: HmacKey
  readonly bytes: number
}

/** At most twice this many keys are kept for each rule: the newer half and, until it fills up, the half before it. */
const generationSize = 1024

const caches: Readonly<Record<KeyRule, { newer: Map<string, Imported>; older: Map<string, Imported> }>> = {
  text: { newer: new Map(), older: new Map() },
  whsec: { newer: new Map(), older: new Map() }
}

const utf8 = new TextEncoder()
const loneSurrogate = /[\uD800-\uDFFF]/u

const keyBytes = (secret: string, rule: KeyRule, index: number): Uint8Array => {
  if (loneSurrogate.test(secret)) throw new SigningError("secret_refused", { index, reason: "not_well_formed" })
  if (rule === "text" || !secret.startsWith("whsec_")) return utf8.encode(secret)
  const decoded = decodeBase64(secret.slice("whsec_".length))
  if (decoded === undefined) throw new SigningError("secret_refused", { index, reason: "not_base64" })
  return decoded
}

const importBytes = (bytes: Uint8Array, index: number): Imported => {
  if (bytes.length === 0) throw new SigningError("secret_refused", { index, reason: "empty" })
  return { key: importKey(bytes), bytes: bytes.length }
}

const importText = (secret: string, rule: KeyRule, index: number): Imported => {
  const cache = caches[rule]
  const recent = cache.newer.get(secret)
  if (recent !== undefined) return recent
  const imported = cache.older.get(secret) ?? importBytes(keyBytes(secret, rule, index), index)
  if (cache.newer.size >= generationSize) {
    cache.older = cache.newer
    cache.newer = new Map()
  }
  cache.newer.set(secret, imported)
  return imported
}

/** The key of one secret; `index` is its place in the caller's list, for the error that refuses it. */
export const keyOf = (secret: Secret, rule: KeyRule, minSecretBytes = 1, index = 0): HmacKey => {
  const imported =
    typeof secret === "string"
      ? importText(secret, rule, index)
      : ArrayBuffer.isView(secret)
        ? importBytes(secret, index)
        : undefined
  if (imported === undefined) throw new SigningError("secret_refused", { index, reason: "missing" })
  if (imported.bytes < minSecretBytes) throw new SigningError("secret_refused", { index, reason: "too_short" })
  return imported.key
}
