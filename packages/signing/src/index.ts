export type { Body } from "./body.ts"
export {
  type BodyFault,
  type FailureCode,
  type Failures,
  type Framework,
  isSigningError,
  type SecretReason,
  SigningError,
  type SigningFailure
} from "./errors.ts"
export {
  type AuditLogEvent,
  isAuditLogEvent,
  isRecordingAddedToFolder,
  parseEvent,
  type RecordingAddedToFolder,
  type WebhookEvent
} from "./events.ts"
export type { HeadersLike, HeaderValue } from "./headers.ts"
export type { VerifyPolicy } from "./policy.ts"
export { memoryReplayStore, type ReplayStore, type SyncReplayStore } from "./replay.ts"
export {
  type Result,
  verifyEventResult,
  verifyEventResultSync,
  verifyResult,
  verifyResultSync
} from "./result.ts"
export { sampleAuditLogEvent, sampleRecordingAddedToFolder } from "./samples.ts"
export { type AuditEncoding, folderSignatureHeader, type Scheme } from "./schemes.ts"
export type { Secret, Secrets } from "./secrets.ts"
export {
  type SignAuditOptions,
  type SignFolderOptions,
  type SignOptions,
  type SignStandardOptions,
  sign,
  signAuditWebhook,
  signFolderWebhook,
  signStandardWebhook,
  signSync
} from "./sign.ts"
export {
  type Verified,
  type VerifiedAudit,
  type VerifiedFolder,
  type VerifiedStandard,
  type VerifyOptions,
  type VerifySyncOptions,
  verify,
  verifySync
} from "./verify.ts"
export { type VerifiedEvent, verifyEvent, verifyEventSync } from "./verifyEvent.ts"
