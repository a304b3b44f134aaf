import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"

/** An imported key. The import costs more than signing 2 kB, so `secrets.ts` caches keys. */
export type HmacKey = KeyObject

export const importKey = (bytes: Uint8Array): HmacKey => createSecretKey(bytes)

const hmac = (key: HmacKey, prefix: string, body: Uint8Array) => {
  const state = createHmac("sha256", key)
  if (prefix !== "") state.update(prefix)
  return state.update(body)
}

/** Returns the HMAC-SHA256 of `prefix` (ASCII) followed by `body`. Hex is lower case, base64 is padded. */
export const digestSync = (key: HmacKey, prefix: string, body: Uint8Array, encoding: "hex" | "base64"): string =>
  hmac(key, prefix, body).digest(encoding)

export const digest = (
  key: HmacKey,
  prefix: string,
  body: Uint8Array,
  encoding: "hex" | "base64"
): string | Promise<string> => digestSync(key, prefix, body, encoding)

/** Returns whether one of the candidates (32 bytes each) is the digest. All candidates are compared, in constant time. */
export const matchesSync = (
  key: HmacKey,
  prefix: string,
  body: Uint8Array,
  candidates: ReadonlyArray<Uint8Array<ArrayBuffer>>
): boolean => {
  // As bytes of a string, which node:crypto gives in three quarters of the time that it takes for a Buffer.
  const expected = Buffer.from(hmac(key, prefix, body).digest("binary"), "latin1")
  let found = false
  for (const candidate of candidates) found = timingSafeEqual(expected, candidate) || found
  // It lies in memory that Node gives to other small Buffers too.
  expected.fill(0)
  return found
}

export const matches = (
  key: HmacKey,
  prefix: string,
  body: Uint8Array,
  candidates: ReadonlyArray<Uint8Array<ArrayBuffer>>
): boolean | Promise<boolean> => matchesSync(key, prefix, body, candidates)
