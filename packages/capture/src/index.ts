export {
  type Begun,
  CaptureApi,
  type Finish,
  type Finished,
  type LinkView,
  type SourceRule
} from "./CaptureApi.ts"
export type { Clock } from "./clock.ts"
export { type Entrance, releaseUnanswered } from "./entrance.ts"
export { LogRecorder, type LogRecorderOptions } from "./log/LogRecorder.ts"
export type { PageEvent, TimedEvent } from "./log/recording.ts"
export {
  type Abilities,
  abilities,
  audioBitsPerSecond,
  formatOf,
  type OpenSources,
  openSources,
  SourceError,
  type Sources,
  videoBitsPerSecond
} from "./media.ts"
export { CaptureError, type Pairing, type SiteDetails, type SiteView, UnavailableError } from "./PageApi.ts"
export { PagePairing } from "./PagePairing.ts"
export { type Problem, Session, type SessionState } from "./Session.ts"
export { Spool, SpoolError, type SpooledCapture, type SpooledPart } from "./Spool.ts"
export { videoTypeOfFile } from "./videoFile.ts"
