import type { Migration } from "../migrate.ts"
import { first } from "./0001_first.ts"
import { mediaJobs } from "./0002_media_jobs.ts"
import { auditSeals } from "./0003_audit_seals.ts"
import { signIn } from "./0004_sign_in.ts"
import { deliveryQueue } from "./0005_delivery_queue.ts"
import { claimsInPlace } from "./0006_claims_in_place.ts"
import { deliveredBy } from "./0007_delivered_by.ts"
import { recordingParts } from "./0008_recording_parts.ts"
import { activeUsers } from "./0009_active_users.ts"
import { idempotencyKeys } from "./0010_idempotency_keys.ts"

/** Every version there ever was, in order. A released one is never changed: what it left is changed by the next. */
export const migrations: ReadonlyArray<Migration> = [
  first,
  mediaJobs,
  auditSeals,
  signIn,
  deliveryQueue,
  claimsInPlace,
  deliveredBy,
  recordingParts,
  activeUsers,
  idempotencyKeys
]
