/** The data of an account: people, recordings, folders, receivers of webhooks, deliveries. */
export { Attempt, AttemptOutcome, AttemptRequest, AttemptResponse, HeaderList } from "./delivery/Attempt.ts"
export { Delivery, DeliveryError, Skip, SkipReason } from "./delivery/Delivery.ts"
export { DeliveryEvent, DeliveryState, DeliveryStateName } from "./delivery/stateSchema.ts"
export { RecordingVideo, Trim, TrimRange, VideoFile, VideoVersion } from "./files/video.ts"
export {
  AccountId,
  AuditEntryId,
  AutomationId,
  DeliveryId,
  DestinationId,
  FolderId,
  parseRecordingUuid,
  RecordingId,
  RecordingUuid,
  RedeliveryId,
  SessionId,
  TokenId,
  UserId
} from "./ids.ts"
export type { Json, JsonObject } from "./json.ts"
export { type PageRequest, type Pagination, paginate } from "./pagination.ts"
export { AccessToken, TokenKind } from "./people/AccessToken.ts"
export { Account } from "./people/Account.ts"
export { NotificationSetting, NotificationSettings, ProfilePicture, Role, User } from "./people/User.ts"
export { AuditDestination, AuditFilters, receiverOfDestination } from "./receivers/AuditDestination.ts"
export {
  Automation,
  AutomationCondition,
  FOLDER_EVENT,
  Folder,
  receiverOfAutomation,
  WebhookMethod
} from "./receivers/Automation.ts"
export { HeaderError, validateHeaders } from "./receivers/headers.ts"
export { AuditSignature, type Receiver, type SignatureScheme } from "./receivers/Receiver.ts"
export { PreviousSecret, type SigningSecrets } from "./receivers/webhookSecret.ts"
export { InvalidWebhookUrl, validateWebhookUrl, type WebhookUrlRules } from "./receivers/webhookUrl.ts"
export {
  activeTicketId,
  Helpdesk,
  HelpdeskPlatform,
  matchesTicket,
  normalizedTicketId,
  Platform,
  Provider,
  platformOnWire
} from "./recordings/helpdesk.ts"
export { platformOfProvider } from "./recordings/helpdesks.ts"
export {
  CapturedErrors,
  Recording,
  RecordingParts,
  RecordingType,
  TechnicalDetails,
  WholeRecording
} from "./recordings/Recording.ts"
export { ParticipantInsight, RoomInsights } from "./recordings/RoomInsights.ts"
export {
  applyChanges,
  FieldError,
  InvalidChanges,
  MalformedChanges,
  type RecordingChanges,
  validateChanges
} from "./recordings/recordingChanges.ts"
export { SAMPLE_RECORDING_UUID, sampleEventParts, sampleRecording } from "./recordings/sampleRecording.ts"
export { ShareLink, Sharing } from "./recordings/sharing.ts"
export { defaultTemplate, defaultTemplateText } from "./template/defaultTemplate.ts"
export {
  type AddedToFolder,
  defaultVariables,
  describeVariable,
  type EventParts,
  MAX_TRANSCRIPT_TEXT_LENGTH,
  neededParts,
  noEventParts,
  type TemplateValues,
  type TemplateVariable,
  templateValues,
  templateVariables
} from "./template/variables.ts"
export { Instant, parseIso, toIso } from "./time.ts"
export { Segment, Transcript, TranscriptStatus, TranscriptTexts } from "./transcript/Transcript.ts"
