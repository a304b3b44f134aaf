export { hasOptionalBody } from "./about.ts"
export * as capture from "./capture/index.ts"
export { apiDocs } from "./docs/apiDocs.ts"
export {
  type ApiError,
  type ApiErrorTag,
  type ApiVersion,
  BadRequest,
  Conflict,
  ErrorV1,
  ErrorV2,
  errorBody,
  errorHeaders,
  errorStatus,
  Forbidden,
  Gone,
  InsufficientStorage,
  Internal,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RangeNotSatisfiable,
  ServiceUnavailable,
  TooManyRequests,
  Unauthenticated,
  Unprocessable,
  UnsupportedMediaType,
  UriTooLong
} from "./errors.ts"
export { openApiCapture, openApiSettings, openApiV1, openApiV2 } from "./openapi/document.ts"
export type { OpenApiDocument, OpenApiOptions } from "./openapi/types.ts"
export { operationOf } from "./operation.ts"
export * as settings from "./settings/index.ts"
export * as v1 from "./v1/index.ts"
export * as v2 from "./v2/index.ts"
export { FlatRecording, FlatRecordingPage } from "./wire/FlatRecording.ts"
export { Pagination } from "./wire/Pagination.ts"
export { Recording, RecordingPage, RecordingUpdate } from "./wire/Recording.ts"
export { RecordingTranscript } from "./wire/Transcript.ts"
export { User, UserPage } from "./wire/User.ts"
