import { encodeBase64 } from "../base64.ts"
import { encodeHex } from "../digests.ts"
import { SigningError } from "../errors.ts"

type CryptoKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

/**
 * A key that is imported on first use, and cached. The key is cached, not its promise, because some edge runtimes permit neither
 * waiting for a promise of another request nor creating one outside of a request.
 */
export interface HmacKey {
  readonly bytes: Uint8Array<ArrayBuffer>
  imported?: CryptoKey
}

const subtle = () => {
  const found = globalThis.crypto?.subtle
  if (found === undefined) throw new SigningError("crypto_unavailable", { needed: "crypto.subtle" })
  return found
}

// The copy is a view of an ArrayBuffer of its own, whatever the caller's bytes are a view of.
const joined = (prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(prefix.length + body.length)
  for (let index = 0; index < prefix.length; index++) bytes[index] = prefix.charCodeAt(index)
  bytes.set(body, prefix.length)
  return bytes
}

export const importKey = (bytes: Uint8Array): HmacKey => ({ bytes: joined("", bytes) })

const imported = async (key: HmacKey): Promise<CryptoKey> => {
  key.imported ??= await subtle().importKey("raw", key.bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify"
  ])
  return key.imported
}

export const digestSync = (_key: HmacKey, _prefix: string, _body: Uint8Array, _encoding: "hex" | "base64"): string => {
  throw new SigningError("sync_unavailable", { instead: "sign" })
}

/** Returns the HMAC-SHA256 of `prefix` (ASCII) followed by `body`. Hex is lower case, base64 is padded. */
export const digest = async (
  key: HmacKey,
  prefix: string,
  body: Uint8Array,
  encoding: "hex" | "base64"
): Promise<string> => {
  const bytes = joined(prefix, body)
  const digested = new Uint8Array(await subtle().sign("HMAC", await imported(key), bytes))
  return encoding === "hex" ? encodeHex(digested) : encodeBase64(digested)
}

export const matchesSync = (
  _key: HmacKey,
  _prefix: string,
  _body: Uint8Array,
  _candidates: ReadonlyArray<Uint8Array<ArrayBuffer>>
): boolean => {
  throw new SigningError("sync_unavailable", { instead: "verify" })
}

/** Returns whether one of the candidates (32 bytes each) is the digest. All candidates are compared, in constant time. */
export const matches = async (
  key: HmacKey,
  prefix: string,
  body: Uint8Array,
  candidates: ReadonlyArray<Uint8Array<ArrayBuffer>>
): Promise<boolean> => {
  const bytes = joined(prefix, body)
  const ready = await imported(key)
  let found = false
  for (const candidate of candidates) found = (await subtle().verify("HMAC", ready, candidate, bytes)) || found
  return found
}
