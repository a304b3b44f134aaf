import type { Instant } from "@tapedeck/domain"
import type { Capture } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { RateLimited } from "../errors.ts"
import { now } from "../now.ts"
import { addressKey, countTry } from "../people/signIn/tries.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"
import { CaptureTooLarge } from "./errors.ts"

/** How long a capture lasts without a sign of life, and how long its recording waits for media work before it enters its folder. */
export const captureIdleMs = 600_000

/** How long its token is valid beyond its duration: pauses, preview, sending. */
export const captureSlackMs = 3_600_000

/** Of captures of a site, and of agents who set none. */
export const defaultDurationSeconds = 1_800

export const pairingCodeMs = 60_000

export const bytesPerSecond = 1_500_000

/** Uploads, streams and pairings of a capture. */
export const maxUploads = 100
export const maxStreams = 50
export const maxPairings = 100

/** A stretch of video that is written at a time. */
export const pieceBytes = 1024 * 1024

/**
 * Pieces of a capture's video, written ones that were removed included. A request of up to `pieceBytes` is one. The recorder sends one
 * a second at most; at the full rate of bytes there are 1.5 a second, whatever the requests. The rest is for interrupted requests.
 */
export const maxPiecesOf = ({ maxBytes }: Pick<Capture, "maxBytes">): number =>
  1_000 + 3 * Math.ceil(maxBytes / bytesPerSecond)

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Counts a capture that begins; 429 beyond a limit. Not inside a transaction, with which concurrent ones would conflict. */
export const countBegun = Effect.fnUntraced(function* (
  by: { readonly link: string } | { readonly site: string },
  address: string | null
) {
  const store = yield* storeOf("tryWindows")
  const { perHour } = (yield* ServiceConfig).captureLimits
  if (perHour === null) return
  const counts: ReadonlyArray<readonly [string, number]> = [
    "link" in by ? [`capture link ${by.link}`, perHour.link] : [`capture site ${by.site}`, perHour.site],
    [`capture address ${addressKey(address ?? "")}`, perHour.address]
  ]
  for (const [key, tries] of counts) {
    const counted = yield* countTry(store, key, { tries, perMs: hourMs })
    if (!counted.isLetThrough) return yield* new RateLimited({ retryAfterMs: counted.retryAfterMs })
  }
})

/**
 * Adds to the bytes that the account's captures have today; refuses those beyond the limit. Not inside a transaction, with which
 * concurrent uploads would conflict: bytes that are not kept stay counted.
 */
export const countBytes = Effect.fnUntraced(function* (accountId: number, bytes: number) {
  const { tryWindows } = yield* storeOf("tryWindows")
  const { bytesPerDay } = (yield* ServiceConfig).captureLimits
  if (bytesPerDay === null) return
  const at = yield* now
  const key = `capture bytes ${accountId}`
  const window = yield* tryWindows.count({ key, tries: bytes, endsAt: (at + dayMs) as Instant }, at)
  if (window.tries <= bytesPerDay) return
  yield* tryWindows.uncount(key, bytes)
  return yield* new CaptureTooLarge({ limitBytes: bytesPerDay, of: "day" })
})
