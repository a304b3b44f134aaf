import { toBytes } from "./body.ts"
import { parseEvent, type WebhookEvent } from "./events.ts"
import { type Verified, type VerifyOptions, type VerifySyncOptions, verify, verifySync } from "./verify.ts"

/** The verified delivery and its event. */
export type VerifiedEvent = Verified & { readonly event: WebhookEvent }

/**
 * Same as `verify`, and parses the event in the body. Distinguish its types with `isRecordingAddedToFolder` and `isAuditLogEvent`. A
 * verified body that is not such an event is refused with `event_not_json` or `event_unexpected`.
 */
export const verifyEvent = async (options: VerifyOptions): Promise<VerifiedEvent> => {
  const verified = await verify(options)
  return { ...verified, event: parseEvent(toBytes(options.body)) }
}

/** Same as `verifyEvent`, but synchronous. Requires `node:crypto`; throws `sync_unavailable` on other runtimes. */
export const verifyEventSync = (options: VerifySyncOptions): VerifiedEvent => {
  const verified = verifySync(options)
  return { ...verified, event: parseEvent(toBytes(options.body)) }
}
