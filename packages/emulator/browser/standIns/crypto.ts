import { gcm } from "@noble/ciphers/aes.js"
import { hkdf } from "@noble/hashes/hkdf.js"
import { hmac } from "@noble/hashes/hmac.js"
import { md5, sha1 } from "@noble/hashes/legacy.js"
import { scryptAsync } from "@noble/hashes/scrypt.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { Buffer } from "./buffer.ts"

/** The part of `node:crypto` that the emulator's code uses. */

const hashes = { md5, sha1, sha256 }

type Algorithm = keyof typeof hashes

type Data = string | Uint8Array

const bytesOf = (data: Data): Uint8Array => (typeof data === "string" ? Buffer.from(data) : data)

interface State {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

class Digest {
  readonly #state: State
  constructor(state: State) {
    this.#state = state
  }
  update(data: Data): this {
    this.#state.update(bytesOf(data))
    return this
  }
  digest(): Buffer
  digest(encoding: string): string
  digest(encoding?: string): Buffer | string {
    const digest = new Buffer(this.#state.digest())
    return encoding === undefined ? digest : digest.toString(encoding)
  }
}

export class KeyObject {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

export const createSecretKey = (key: Data): KeyObject => new KeyObject(new Buffer(bytesOf(key)))

export const createHash = (algorithm: Algorithm): Digest => new Digest(hashes[algorithm].create())

export const createHmac = (algorithm: Algorithm, { bytes }: KeyObject): Digest =>
  new Digest(hmac.create(hashes[algorithm], bytes))

export const hkdfSync = (algorithm: Algorithm, key: Uint8Array, salt: Data, info: Data, length: number): ArrayBuffer =>
  new Buffer(hkdf(hashes[algorithm], key, bytesOf(salt), bytesOf(info), length)).buffer

const tagBytes = 16
const empty = Buffer.alloc(0)

/** AES-256-GCM. `final` returns the whole text, and `update` nothing. */
export const createCipheriv = (_: "aes-256-gcm", { bytes }: KeyObject, nonce: Uint8Array) => {
  const parts: Array<Uint8Array> = []
  let sealed = empty
  return {
    update: (data: Data) => {
      parts.push(bytesOf(data))
      return empty
    },
    final: () => {
      sealed = new Buffer(gcm(bytes, nonce).encrypt(Buffer.concat(parts)))
      return sealed.subarray(0, -tagBytes)
    },
    getAuthTag: () => sealed.subarray(-tagBytes)
  }
}

export const createDecipheriv = (_: "aes-256-gcm", { bytes }: KeyObject, nonce: Uint8Array) => {
  const parts: Array<Uint8Array> = []
  let tag: Uint8Array = empty
  return {
    setAuthTag: (given: Uint8Array) => {
      tag = given
    },
    update: (data: Uint8Array) => {
      parts.push(data)
      return empty
    },
    final: () => new Buffer(gcm(bytes, nonce).decrypt(Buffer.concat([...parts, tag])))
  }
}

export const timingSafeEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) throw new RangeError("Input buffers must have the same byte length")
  let different = 0
  for (let index = 0; index < a.length; index++) different |= a[index]! ^ b[index]!
  return different === 0
}

export const randomBytes = (length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  globalThis.crypto.getRandomValues(bytes)
  return bytes
}

export const randomUUID = (): string => globalThis.crypto.randomUUID()

interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
  readonly maxmem: number
}

export const scrypt = (
  password: Data,
  salt: Uint8Array,
  length: number,
  cost: ScryptCost,
  done: (error: Error | null, key: Buffer) => void
): void => {
  scryptAsync(bytesOf(password), salt, { ...cost, dkLen: length }).then(
    (key) => done(null, new Buffer(key)),
    (error: Error) => done(error, empty)
  )
}
