// By the names of this package's entries, so that a project's declarations can name the types.
export type * as Settings from "@tapedeck/client/settings"
export type * as V1 from "@tapedeck/client/v1"
export type { Body, HeadersLike, WebhookEvent } from "@tapedeck/signing"
export { Answer, type Received } from "./Answer.ts"
export type {
  AttemptChange,
  Change,
  ChangesOptions,
  DeliveryChange,
  RecordingChange,
  StreamState,
  Synced
} from "./changes.ts"
export type { Download } from "./Download.ts"
export {
  BadRequestError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  TapedeckError,
  TimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableEntityError
} from "./errors.ts"
export type * from "./generated/v2.gen.ts"
export type * from "./generated/v2.types.gen.ts"
export type { Json } from "./json.ts"
export type { ClientOptions, Clock, ContentType, FileBody, Logger, OutgoingRequest, RequestOptions } from "./options.ts"
export { type Page, Pages } from "./pages.ts"
export { Tapedeck } from "./Tapedeck.ts"
export {
  ResumableUpload,
  type ResumableUploads,
  type UploadOptions,
  type UploadSource,
  type UploadState
} from "./uploads.ts"
export type { UnwrapOptions, Webhooks } from "./webhooks.ts"
