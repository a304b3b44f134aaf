import { type HmacKey, importKey } from "#hmac"
import { decodeBase64 } from "./base64.ts"
import { loneSurrogate } from "./body.ts"
import { type SecretReason, SigningError } from "./errors.ts"

/** A secret: text as in the settings of the sender, or the bytes of the key. */
export type Secret = string | Uint8Array

/** One secret, or several during a rotation. */
export type Secrets = Secret | ReadonlyArray<Secret>

/** Rule for the key of a secret's text. `text`: the UTF-8 bytes. `whsec`: the decoded bytes of `whsec_…`, else the UTF-8 bytes. */
export type KeyRule = "text" | "whsec"

interface Imported {
  readonly key: HmacKey
  readonly sizeBytes: number
}

const refused = (index: number, reason: SecretReason) => new SigningError("secret_refused", { index, reason })

/** Half of the maximum number of cached text keys for each rule: the cache has a newer and an older generation. */
const generationSize = 1024

interface TextKeys {
  newer: Map<string, Imported>
  older: Map<string, Imported>
}

const textKeys: Readonly<Record<KeyRule, TextKeys>> = {
  text: { newer: new Map(), older: new Map() },
  whsec: { newer: new Map(), older: new Map() }
}

const utf8 = new TextEncoder()
const prefix = "whsec_"

const importBytes = (bytes: Uint8Array, index: number): Imported => {
  if (bytes.length === 0) throw refused(index, "empty")
  return { key: importKey(bytes), sizeBytes: bytes.length }
}

const importText = (secret: string, rule: KeyRule, index: number): Imported => {
  if (loneSurrogate(secret) >= 0) throw refused(index, "not_well_formed")
  if (rule === "text") return importBytes(utf8.encode(secret), index)
  const decoded = decodeBase64(secret.slice(prefix.length), "tolerant")
  if (decoded === undefined) throw refused(index, "not_base64")
  return importBytes(decoded, index)
}

const keptText = (secret: string, wanted: KeyRule, index: number): Imported => {
  const rule = secret.startsWith(prefix) ? wanted : "text"
  const cached = textKeys[rule]
  const recent = cached.newer.get(secret)
  if (recent !== undefined) return recent
  const imported = cached.older.get(secret) ?? importText(secret, rule, index)
  if (cached.newer.size >= generationSize) {
    cached.older = cached.newer
    cached.newer = new Map()
  }
  cached.newer.set(secret, imported)
  return imported
}

const bytesKeys = new WeakMap<Uint8Array, Imported & { readonly copy: Uint8Array }>()

// The caller may overwrite its bytes, for example to clear them, so the cached copy is compared with the present bytes.
const keptBytes = (secret: Uint8Array, index: number): Imported => {
  const cached = bytesKeys.get(secret)
  if (
    cached !== undefined &&
    cached.sizeBytes === secret.length &&
    cached.copy.every((byte, at) => byte === secret[at])
  ) {
    return cached
  }
  const copy = Uint8Array.from(secret)
  const imported = { ...importBytes(copy, index), copy }
  bytesKeys.set(secret, imported)
  return imported
}

/** Returns the key of a secret. `index` is its position in the caller's list, for the error if it is invalid. */
export const keyOf = (secret: Secret, rule: KeyRule, minSecretBytes = 1, index = 0): HmacKey => {
  if (typeof secret !== "string" && !ArrayBuffer.isView(secret)) throw refused(index, "missing")
  const { key, sizeBytes } = typeof secret === "string" ? keptText(secret, rule, index) : keptBytes(secret, index)
  if (sizeBytes < minSecretBytes) throw refused(index, "too_short")
  return key
}

/** Returns the keys of the secrets with `whsec_` before them, for the hint of an error; undefined for secrets that are not base64. */
export const prefixedKeys = (secrets: Secrets): ReadonlyArray<HmacKey | undefined> =>
  [secrets].flat().map((secret) => {
    const bytes = typeof secret === "string" ? decodeBase64(secret, "tolerant") : undefined
    return bytes?.length ? importKey(bytes) : undefined
  })

/** Returns the keys of all secrets, in their order. Throws if one is invalid, so that the error does not first appear when it should match. */
export const keysOf = (secrets: Secrets, rule: KeyRule, minSecretBytes: number): ReadonlyArray<HmacKey> => {
  if (!Array.isArray(secrets)) return [keyOf(secrets as Secret, rule, minSecretBytes)]
  if (secrets.length === 0) throw refused(0, "missing")
  return Array.from(secrets, (secret: Secret, index) => keyOf(secret, rule, minSecretBytes, index))
}
