import { createHmac } from "node:crypto"
import { Ids, type MemoryStore, RequestIds } from "@tapedeck/core"
import { Effect } from "effect"

/** Bytes that depend on the seed and the label alone. */
const expand = (seed: number, label: string, length: number): Uint8Array => {
  const blocks: Array<Buffer> = []
  for (let block = 0; block * 32 < length; block++) {
    blocks.push(createHmac("sha256", `tapedeck-emulator/${seed}`).update(`${label}/${block}`).digest())
  }
  return Buffer.concat(blocks).subarray(0, length)
}

/**
 * Ids from the seed, the kind and a counter of that kind, so that one more read shifts no later id. The counters are
 * part of the store's state: what is rolled back or reset takes them back too.
 */
export const seededIds = (seed: number, memory: MemoryStore): Ids["Service"] =>
  Ids.of({
    bytes: (kind, length) => Effect.map(memory.count(`id/${kind}`), (count) => expand(seed, `${kind}/${count}`, length))
  })

/** Request ids have a stream of their own, which is no part of the state. */
export const seededRequestIds = (seed: number): RequestIds["Service"] => {
  let requests = 0
  return RequestIds.of({
    next: () => Buffer.from(expand(seed, `request/${++requests}`, 12)).toString("hex")
  })
}

/** The key under which a world keeps its tokens; from the seed, so that a snapshot opens in another process. */
export const seededKey = (seed: number): Uint8Array => expand(seed, "vault", 32)
