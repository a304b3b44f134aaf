import * as Schema from "effect/Schema"

/** Ids that are integers in payloads, too (`user.id`, `account.id`, `audit_log.id`). */
const positiveInt = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const AccountId = positiveInt.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const UserId = positiveInt.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** Integer `id` of a recording in v1. Lists break ties by it. */
export const RecordingId = positiveInt.pipe(Schema.brand("RecordingId"))
export type RecordingId = typeof RecordingId.Type

export const AuditEntryId = positiveInt.pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

export const FolderId = Schema.NonEmptyString.pipe(Schema.brand("FolderId"))
export type FolderId = typeof FolderId.Type

export const AutomationId = Schema.NonEmptyString.pipe(Schema.brand("AutomationId"))
export type AutomationId = typeof AutomationId.Type

export const DestinationId = Schema.NonEmptyString.pipe(Schema.brand("DestinationId"))
export type DestinationId = typeof DestinationId.Type

/** Id of a delivery, which each attempt sends as `webhook-id`. */
export const DeliveryId = Schema.NonEmptyString.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const RedeliveryId = Schema.NonEmptyString.pipe(Schema.brand("RedeliveryId"))
export type RedeliveryId = typeof RedeliveryId.Type

export const TokenId = Schema.NonEmptyString.pipe(Schema.brand("TokenId"))
export type TokenId = typeof TokenId.Type

export const SessionId = Schema.NonEmptyString.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

const lowerCaseUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID of any version, in lower case. */
export const RecordingUuid = Schema.String.check(
  Schema.isPattern(lowerCaseUuid, { expected: "a UUID in lower case" })
).pipe(Schema.brand("RecordingUuid"))
export type RecordingUuid = typeof RecordingUuid.Type

/** Returns the UUID that `text` contains, case-insensitive; `undefined` if it is not a UUID. */
export const parseRecordingUuid = (text: string): RecordingUuid | undefined => {
  const lower = text.toLowerCase()
  return lowerCaseUuid.test(lower) ? (lower as RecordingUuid) : undefined
}
