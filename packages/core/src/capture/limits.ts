import type { Instant } from "@tapedeck/domain"
import type { Capture } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { RateLimited } from "../errors.ts"
import { now } from "../now.ts"
import { addressKey } from "../people/addressKey.ts"
import { RequestOrigin } from "../people/Caller.ts"
import { countTries, countTry, sharedTries } from "../people/signIn/tries.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"
import { CaptureTooLarge } from "./errors.ts"

/**
 * Time after which a silent capture is abandoned; also the maximum time that its recording waits for media work before it enters its
 * folder.
 */
export const captureIdleMs = 600_000

/** Time for which a capture's token is valid beyond the capture's duration: for pauses, preview and sending. */
export const captureSlackMs = 3_600_000

/** Seconds by which a capture's video may exceed the capture's duration, because a browser's timers may run late. */
export const videoSlackSeconds = 60

export const pairingCodeMs = 60_000

export const bytesPerSecond = 1_500_000

/** Uploads, streams and pairings of a capture. */
export const maxUploads = 100
export const maxStreams = 50
export const maxPairings = 100

/** Pairing codes of a capture in the time for which a code is valid. */
const maxCodes = 20

/**
 * Pieces of a capture's video, written ones that were removed included. A request of up to `pieceBytes` is one. The recorder sends one
 * a second at most; at the full rate of bytes there are 1.5 a second, whatever the requests. The rest is for interrupted requests.
 */
export const maxPiecesOf = ({ maxBytes }: Pick<Capture, "maxBytes">): number =>
  1_000 + 3 * Math.ceil(maxBytes / bytesPerSecond)

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The public key of a capture's origin: a link's or a site's id. */
export type PublicKey = { readonly link: string } | { readonly site: string }

const nameOf = (by: PublicKey) => ("link" in by ? `link ${by.link}` : `site ${by.site}`)

/**
 * Counts a new capture; 429 beyond a limit. A network address has a tenth of a link's or a site's captures, so that one address cannot
 * use them all up. Not inside a transaction, with which concurrent ones would conflict.
 */
export const countBegun = Effect.fnUntraced(function* (by: PublicKey, address: string | null) {
  const store = yield* storeOf("tryWindows")
  const { perHour } = (yield* ServiceConfig).captureLimits
  if (perHour === null) return
  const tries = "link" in by ? perHour.link : perHour.site
  const counted = yield* countTries(store, [
    [`capture address ${addressKey(address ?? "")}`, { tries: perHour.address, perMs: hourMs }],
    ...sharedTries(
      (text) => `capture ${text}`,
      nameOf(by),
      address,
      { tries: Math.ceil(tries / 10), perMs: hourMs },
      { tries, perMs: hourMs }
    )
  ])
  if (!counted.isLetThrough) return yield* new RateLimited({ retryAfterMs: counted.retryAfterMs })
})

/** Divisor of the bytes that a link or a site receives: a network address has at most this part of them. */
const byteShares = 4

/**
 * Adds to the bytes that a day's captures have: from a network address by a link or a site, by that link or site, and of the account, of
 * which all that strangers send is half at most. Refuses those beyond a limit. Not inside a transaction, with which concurrent uploads
 * would conflict: bytes that are not kept stay counted.
 */
export const countBytes = Effect.fnUntraced(function* (
  { accountId, linkId, siteId }: Pick<Capture, "accountId" | "linkId" | "siteId">,
  bytes: number
) {
  const { tryWindows } = yield* storeOf("tryWindows")
  const { bytesPerDay, keyBytesPerDay } = (yield* ServiceConfig).captureLimits
  const { ipAddress } = yield* RequestOrigin
  const key = linkId !== null ? nameOf({ link: linkId }) : siteId !== null ? nameOf({ site: siteId }) : null
  const limits = [
    ...(key === null || keyBytesPerDay === null
      ? []
      : ([
          [`${key} from ${addressKey(ipAddress ?? "")}`, Math.floor(keyBytesPerDay / byteShares), "address"],
          [key, keyBytesPerDay, "key"]
        ] as const)),
    ...(linkId === null && siteId !== null && bytesPerDay !== null
      ? ([[`sites of ${accountId}`, Math.floor(bytesPerDay / 2), "sites"]] as const)
      : []),
    ...(bytesPerDay === null ? [] : ([[String(accountId), bytesPerDay, "day"]] as const))
  ]
  const at = yield* now
  const endsAt = (at + dayMs) as Instant
  for (const [index, [name, limitBytes, of]] of limits.entries()) {
    const window = yield* tryWindows.count({ key: `capture bytes ${name}`, tries: bytes, endsAt }, at)
    if (window.tries <= limitBytes) continue
    const counted = limits.slice(0, index + 1)
    yield* Effect.forEach(counted, ([before]) => tryWindows.uncount(`capture bytes ${before}`, bytes), {
      discard: true
    })
    return yield* new CaptureTooLarge({ limitBytes, of })
  }
})

/** Counts a pairing code of a capture; 429 beyond a limit. Not inside a transaction. */
export const countCode = Effect.fnUntraced(function* (captureId: string) {
  const counted = yield* countTry(yield* storeOf("tryWindows"), `capture codes ${captureId}`, {
    tries: maxCodes,
    perMs: pairingCodeMs
  })
  if (!counted.isLetThrough) return yield* new RateLimited({ retryAfterMs: counted.retryAfterMs })
})
