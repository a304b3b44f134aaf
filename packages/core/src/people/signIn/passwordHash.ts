import * as NodeCrypto from "node:crypto"
import { Effect, Semaphore } from "effect"
import { addressKey } from "../addressKey.ts"
import { RequestOrigin } from "../Caller.ts"
import { SignInThrottled } from "./errors.ts"

/** Cost of a hash: 128 · r · 2^ln bytes of memory, p times. */
export interface ScryptCost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** Maximum number of concurrent hashes: files and names need some of Node's four threads, too, and each hash takes its memory. */
const atATime = Semaphore.makeUnsafe(2)

/** Maximum number of waiting hashes. Further ones are refused, because they would wait for half a minute. */
const maxWaiting = 64
/** Maximum number of waiting hashes for one network address, so that other addresses have some. */
const maxWaitingOfAddress = 16
const waiting = new Map<string, number>()

const hashBytes = 32

const scrypt = (password: string, salt: Uint8Array, { ln, p, r }: ScryptCost): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    const cost = { N: 2 ** ln, r, p, maxmem: 256 * r * 2 ** ln }
    // The same password can be typed in more than one way.
    NodeCrypto.scrypt(password.normalize("NFKC"), salt, hashBytes, cost, (error, hash) =>
      resume(error === null ? Effect.succeed(hash) : Effect.die(error))
    )
  })

const waitingOf = (address: string) => waiting.get(address) ?? 0

/** Runs a hash outside of the event loop, few at a time. Fails if too many wait. */
const inTurn = (hash: Effect.Effect<Buffer>): Effect.Effect<Buffer, SignInThrottled> =>
  Effect.flatMap(RequestOrigin, ({ ipAddress }) => {
    const address = addressKey(ipAddress ?? "")
    const inAll = [...waiting.values()].reduce((sum, count) => sum + count, 0)
    if (inAll >= maxWaiting || waitingOf(address) >= maxWaitingOfAddress) {
      return Effect.fail(new SignInThrottled({ retryAfterMs: 5_000 }))
    }
    waiting.set(address, waitingOf(address) + 1)
    return Effect.ensuring(
      // Node completes a started hash: an interrupted caller does not free its slot.
      atATime.withPermits(1)(Effect.uninterruptible(hash)),
      Effect.sync(() => {
        if (waitingOf(address) > 1) waiting.set(address, waitingOf(address) - 1)
        else waiting.delete(address)
      })
    )
  })

const base64 = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString("base64")
    .replace(/={1,2}$/, "")

/** The password's hash with its parameters and its salt, as in `$scrypt$ln=15,r=8,p=3$…$…` (PHC). */
export const hashPassword = Effect.fnUntraced(function* (password: string, salt: Uint8Array, cost: ScryptCost) {
  const hash = yield* inTurn(scrypt(password, salt, cost))
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`
})

const encoded = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const parse = (text: string) => {
  const [, ln, r, p, salt = "", hash = ""] = encoded.exec(text) ?? []
  if (ln === undefined) throw new Error("a password's hash is not one of ours")
  const cost: ScryptCost = { ln: Number(ln), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") }
}

export interface Verified {
  readonly isRight: boolean
  /** True if the hash was made with other parameters than those in force now. */
  readonly isOutdated: boolean
}

/** Verifies a password against a hash. Without a hash the verification fails, after the same time. */
export const verifyPassword = Effect.fnUntraced(function* (
  password: string,
  kept: string | undefined,
  currentCost: ScryptCost
) {
  const { cost, hash, salt } =
    kept === undefined ? { cost: currentCost, salt: Buffer.alloc(16), hash: Buffer.alloc(hashBytes) } : parse(kept)
  const found = yield* inTurn(scrypt(password, salt, cost))
  const verified: Verified = {
    isRight: NodeCrypto.timingSafeEqual(found, hash) && kept !== undefined,
    isOutdated: cost.ln !== currentCost.ln || cost.r !== currentCost.r || cost.p !== currentCost.p
  }
  return verified
})
