import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Ids, type MemoryStore, RequestIds } from "@tapedeck/core"
import { Effect } from "effect"

/** A key object, because an HMAC with a raw key costs seven times as much. */
const keyOf = (seed: number): KeyObject => createSecretKey(`tapedeck-emulator/${seed}`, "utf8")

/** Bytes that depend only on the key and the label. */
const expand = (key: KeyObject, label: string, length: number): Uint8Array => {
  const blocks: Array<Buffer> = []
  for (let block = 0; block * 32 < length; block++) {
    blocks.push(createHmac("sha256", key).update(`${label}/${block}`).digest())
  }
  return Buffer.concat(blocks).subarray(0, length)
}

/**
 * Ids from the seed, the kind and a counter of that kind, so that one more read changes no later id. The counters are part of the
 * store's state: a rollback or reset restores them.
 */
export const seededIds = (seed: number, memory: MemoryStore): Ids["Service"] => {
  const key = keyOf(seed)
  return Ids.of({
    bytes: (kind, length) => Effect.map(memory.count(`id/${kind}`), (count) => expand(key, `${kind}/${count}`, length))
  })
}

/** 32 random bits at a time (sfc32). Request ids need not be unpredictable, and each request needs one. */
const randomBits = (seed: Uint8Array): (() => number) => {
  const words = new DataView(seed.buffer, seed.byteOffset, 16)
  let [a, b, c, d] = [words.getInt32(0), words.getInt32(4), words.getInt32(8), words.getInt32(12)]
  return () => {
    const sum = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
}

/** Request ids have a separate stream, which is no part of the state. */
export const seededRequestIds = (seed: number): RequestIds["Service"] => {
  const next = randomBits(expand(keyOf(seed), "request", 16))
  const word = () => next().toString(16).padStart(8, "0")
  return RequestIds.of({ next: () => word() + word() + word() })
}

/** The key that encrypts a world's tokens. It depends on the seed, so that another process can open a snapshot. */
export const seededKey = (seed: number): Uint8Array => expand(keyOf(seed), "vault", 32)
