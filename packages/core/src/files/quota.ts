import { StateConflict } from "../errors.ts"
import type { Caller } from "../people/Caller.ts"
import type { Quota } from "../ServiceConfig.ts"

const noQuota: Quota = { recordings: null, bytes: null, uploads: null }

export const quotaOf = ({ user }: Caller, quota: Quota): Quota => (user.role === "member" ? quota : noQuota)

const texts: Readonly<Record<keyof Quota, (limit: number) => string>> = {
  recordings: (limit) => `A member may have ${limit} recordings at most (quota_recordings)`,
  bytes: (limit) => `The files of a member's recordings may have ${limit} bytes together at most (quota_bytes)`,
  uploads: (limit) => `A member may have ${limit} uploads in progress at most (quota_uploads)`
}

/** A request beyond a quota is refused with the quota's name, which is that of the server's setting. */
export const quotaExceeded = (name: keyof Quota, limit: number) => new StateConflict({ reason: texts[name](limit) })
