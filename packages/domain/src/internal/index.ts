/** Internal to the packages of Tapedeck: any release may change it. */

export { AttemptOutcome } from "../delivery/Attempt.ts"
export { deliveryKind, deliveryKinds } from "../delivery/Delivery.ts"
export {
  type DeliveryExplanation,
  DeliveryReason,
  DueBecause,
  explainDelivery,
  type NextAttempt
} from "../delivery/explain.ts"
export { headerMap } from "../delivery/headerMap.ts"
export { eventOfOutcome, outcomeOfStatus, TestResult, testResult } from "../delivery/judge.ts"
export { type ListedDelivery, listedDelivery, MAX_LISTED_BODY_BYTES } from "../delivery/listed.ts"
export { CancellationCause, NoDeliveryReason } from "../delivery/noDelivery.ts"
export {
  afterRedeliveryStep,
  Redelivery,
  RedeliveryFilter,
  type RedeliveryStep,
  redeliveryStepSize,
  stoppedRedelivery
} from "../delivery/Redelivery.ts"
export {
  AttemptResultName,
  type AttemptStatistics,
  type AttemptTally,
  attemptStatistics,
  type CountedReceiver,
  countedReceiver,
  healthAfter,
  ReceiverHealth,
  tallyOf,
  unknownHealth
} from "../delivery/statistics.ts"
export {
  afterFailedTry,
  MediaJob,
  MediaJobKind,
  type MediaQueue,
  mediaClaimKeys,
  mediaQueueKey,
  mediaRetryDelays,
  nextMediaQueue
} from "../files/MediaJob.ts"
export { PictureType, pictureTypeOf } from "../files/pictureType.ts"
export {
  cutLog,
  cutSegments,
  isSameRange,
  MAX_TRIM_SECONDS,
  MIN_TRIMMED_SECONDS,
  type TrimmedVideo,
  trimmedDuration,
  untrimmed,
  withTrimmed
} from "../files/trim.ts"
export {
  bestVideo,
  filesGone,
  filesOf,
  MediaWorkStates,
  ServedContentType,
  servedContentType,
  TrimState,
  trimOf,
  VideoWork,
  wholeVideo,
  withWork
} from "../files/video.ts"
export { videoHeadBytes, videoTypeOf } from "../files/videoType.ts"
export { isJson, MAX_JSON_DEPTH } from "../json.ts"
export { emailKey } from "../people/emailKey.ts"
export type { Operation, Permission } from "../people/permission.ts"
export { afterFailedMail, MailSwitch, QueuedMail } from "../people/QueuedMail.ts"
export { LinkPurpose, Password, Session, SignInLink, SignInMethod, TryWindow } from "../people/signIn.ts"
export { formatToken, isWellFormedToken, TOKEN_RANDOM_BYTES } from "../people/tokenFormat.ts"
export { type JsonProblem, NOT_JSON, readJson } from "../readJson.ts"
export { auditDestinationDefaults, passesFilters } from "../receivers/AuditDestination.ts"
export { AUDIT_SIGNATURE_HEADER, vendorSignatureHeader } from "../receivers/headers.ts"
export {
  DEFAULT_OVERLAP_MS,
  livePreviousSecrets,
  MAX_OVERLAP_MS,
  MAX_PREVIOUS_SECRETS,
  type Rotation,
  rotateSecret,
  secretProblem,
  signingSecrets
} from "../receivers/webhookSecret.ts"
export { derivedSourceLabel, type NativeIdField, nativeIdField, noHelpdesk } from "../recordings/helpdesk.ts"
export { helpdeskLabels } from "../recordings/helpdesks.ts"
export {
  noParts,
  putTogether,
  roomInsightsOf,
  sourceLabel,
  takenApart,
  type WholeTranscript
} from "../recordings/Recording.ts"
export { roomDurationSeconds } from "../recordings/RoomInsights.ts"
export { isLongerThan, MAX_CHARACTERS } from "../recordings/recordingChanges.ts"
export {
  foundWords,
  orderKey,
  ownerWords,
  type ParsedSearch,
  parseSearch,
  type RecordingOrder,
  recordingOrders,
  type SearchTerm,
  titleOrder
} from "../recordings/search.ts"
export { sharingOf } from "../recordings/sharing.ts"
export { atOnce, type Sliced } from "../slices.ts"
export { isStorableText, UNSTORABLE_TEXT, unstorableTextPaths } from "../storableText.ts"
export { suggest } from "../suggest.ts"
export { consoleErrorsOf } from "../template/variables.ts"
export { connectAttemptMs } from "../time.ts"
export { joinedTranscript, type TranscriptPart } from "../transcript/joinedTranscript.ts"
export { startOfSegment, voicesOf } from "../transcript/spoken.ts"
export { decideTranscript, ImpossibleTranscriptMove, TranscriptEvent, transcriptEventTo } from "../transcript/state.ts"
export {
  type ChangedTranscript,
  initialTranscriptStatus,
  legacySegment,
  noTranscript,
  type ShownTranscript,
  settledTranscript,
  shownTranscript,
  sourcesOf,
  type TranscriptSource,
  type TranscriptSources,
  withLegacyText,
  withRecognized,
  withStatus
} from "../transcript/Transcript.ts"
export { utf8Length } from "../utf8.ts"
