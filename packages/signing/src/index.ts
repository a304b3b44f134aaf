export { type FailureCode, type Failures, type SecretReason, SigningError } from "./errors.ts"
export type { Secret } from "./secrets.ts"
export {
  type AuditEncoding,
  folderSignatureHeader,
  signAuditWebhook,
  signFolderWebhook,
  signStandardWebhook
} from "./webhooks.ts"
