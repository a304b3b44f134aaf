/** Captures: their log, its formats and its redaction. */
export {
  Capture,
  type CaptureEvent,
  CaptureEventIgnored,
  CapturePiece,
  CaptureState,
  CaptureStream,
  CaptureToken,
  CaptureUpload,
  decideCapture,
  heldBytes,
  isAgents,
  isCapturing,
  isClosed
} from "./Capture.ts"
export { CaptureLink, CaptureSources, defaultSources, type LinkState, linkStateAt, SourceUse } from "./CaptureLink.ts"
export { type HarCreator, HarWriter } from "./har/toHar.ts"
export { type ImportedLog, importedLog } from "./importLog.ts"
export { eventOfLine, kindOfLine, type LogLine, logLineOf, textOfLine } from "./LogLine.ts"
export {
  type LimitedEvent,
  type LogUse,
  limitEvents,
  limitHeader,
  noLogUse,
  type OfferedEvent,
  type TakenEvents,
  takeEvents
} from "./limitLog.ts"
export {
  type CaptureLog,
  type ConsoleEvent,
  consoleLevels,
  type ErrorEvent,
  type GapEvent,
  initiators,
  type LogEvent,
  type LogHeader,
  type LogHeaders,
  type LogKind,
  logKinds,
  MAX_LOG_BODY_BYTES,
  MAX_LOG_BYTES,
  MAX_LOG_EVENTS,
  MAX_LOG_HEADERS,
  MAX_MESSAGE_BYTES,
  type MarkEvent,
  type NavigationEvent,
  type NetworkEvent,
  type TargetEvent
} from "./log.ts"
export { type LogSummary, type NetworkError, summaryOf } from "./logSummary.ts"
export { type LogOfLines, type LogStream, mergedLog } from "./logText.ts"
export { allowsOrigin, originPatterns, originProblem } from "./origins.ts"
export { addRedactions, RedactionCounts } from "./RedactionCounts.ts"
export { type Repair, Repairs } from "./Repairs.ts"
export { type LogLines, LogUnreadable, logLinesIn, readLogLines } from "./readLog.ts"
export { keepsBody, makeRedactor, type Redactor, type RedactorOptions } from "./redact/redactor.ts"
export { noSiteRedaction, type RedactionRule, type Redactions, type SiteRedaction } from "./redact/rules.ts"
export { Site } from "./Site.ts"
export { takeUnseen } from "./seen.ts"
