import { toBytes } from "./body.ts"
import { parseEvent, type WebhookEvent } from "./events.ts"
import { type Verified, type VerifyOptions, type VerifySyncOptions, verify, verifySync } from "./verify.ts"

/** The verified delivery and its event. */
export type VerifiedEvent = Verified & { readonly event: WebhookEvent }

/**
 * `verify`, and the event in the body: tell its kind with `isRecordingAddedToFolder` and `isAuditLogEvent`. A body that is
 * signed rightly but is not such an event is `event_not_json` or `event_unexpected`.
 */
export const verifyEvent = async (options: VerifyOptions): Promise<VerifiedEvent> => {
  const verified = await verify(options)
  return { ...verified, event: parseEvent(toBytes(options.body)) }
}

/** `verifyEvent`, at once: where `node:crypto` is there. */
export const verifyEventSync = (options: VerifySyncOptions): VerifiedEvent => {
  const verified = verifySync(options)
  return { ...verified, event: parseEvent(toBytes(options.body)) }
}
