import { type User, UserId } from "@tapedeck/domain"
import type { Capture } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { byteQuotaText, CaptureTooLarge } from "../capture/errors.ts"
import { StateConflict } from "../errors.ts"
import { type Quota, ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"

const noQuota: Quota = { recordings: null, bytes: null, uploads: null }

export const quotaOf = ({ user }: { readonly user: Pick<User, "role"> }, quota: Quota): Quota =>
  user.role === "member" ? quota : noQuota

const texts: Readonly<Record<keyof Quota, (limit: number) => string>> = {
  recordings: (limit) => `A member may have ${limit} recordings at most (quota_recordings)`,
  bytes: byteQuotaText,
  uploads: (limit) => `A member may have ${limit} uploads in progress at most (quota_uploads)`
}

/** A request beyond a quota is refused with the quota's name, which is that of the server's setting. */
export const quotaExceeded = (name: keyof Quota, limit: number) => new StateConflict({ reason: texts[name](limit) })

/** Refuses one more recording of a member who has as many as they may. Inside the transaction that makes it. */
export const keepRecordingQuota = Effect.fnUntraced(function* (user: User) {
  const { recordings: limit } = quotaOf({ user }, (yield* ServiceConfig).memberQuota)
  if (limit === null) return
  const { recordings } = yield* storeOf("recordings")
  const { count } = yield* recordings.page({ accountId: user.accountId, ownerId: user.id }, { offset: 0, limit: 0 })
  if (count >= limit) return yield* quotaExceeded("recordings", limit)
})

/** The rest of a user's quota of bytes, and the quota; null for a user without one. */
export const bytesLeft = Effect.fnUntraced(function* (user: User) {
  const { bytes: limit } = quotaOf({ user }, (yield* ServiceConfig).memberQuota)
  if (limit === null) return null
  const { recordings } = yield* storeOf("recordings")
  const stored = yield* recordings.storedBytes({ accountId: user.accountId, ownerId: user.id })
  return { limit, left: limit - stored }
})

/** Refuses a capture whose owner may have no more recordings or bytes. Inside the transaction that makes its recording. */
export const keepCaptureQuota = Effect.fnUntraced(function* (user: User) {
  yield* keepRecordingQuota(user)
  const found = yield* bytesLeft(user)
  if (found !== null && found.left <= 0) return yield* quotaExceeded("bytes", found.limit)
})

/**
 * Refuses bytes of a capture beyond its owner's quota. 413 and not 409, by which a client of tus asks for the offset and sends again.
 * Inside the transaction that adds them.
 */
export const keepByteQuota = Effect.fnUntraced(function* (capture: Capture, bytes: number) {
  if ((yield* ServiceConfig).memberQuota.bytes === null) return
  const store = yield* storeOf("recordings", "users")
  const ownerId = (yield* store.recordings.byUuid(capture.recordingUuid))?.ownerId ?? null
  const owner = ownerId === null ? undefined : yield* store.users.byId(UserId.make(ownerId))
  const found = owner === undefined ? null : yield* bytesLeft(owner)
  if (found === null || bytes <= found.left) return
  return yield* new CaptureTooLarge({ limitBytes: found.limit, of: "quota" })
})
