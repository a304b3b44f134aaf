import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AccountId, FolderId, RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"
import { RedactionCounts } from "./RedactionCounts.ts"

/** Parts of a capture's log that are stored, and that limits cut off (`LogUse`). */
const Use = Schema.Struct({
  events: Schema.Natural,
  bytes: Schema.Natural,
  beyondEvents: Schema.Natural,
  beyondBytes: Schema.Natural,
  cutText: Schema.Natural,
  cutBody: Schema.Natural,
  cutHeaders: Schema.Natural
})

/** The upload of one run of the recorder, and its progress. */
export const CaptureUpload = Schema.Struct({
  id: Schema.String,
  part: Schema.Natural,
  offset: Schema.Natural,
  /** Size of the upload; null if it is not declared yet. */
  sizeBytes: Schema.NullOr(Schema.Natural),
  contentType: Schema.String,
  /** `Upload-Metadata`, as received. */
  metadata: Schema.String
})
export type CaptureUpload = typeof CaptureUpload.Type

/** A writer of the log. `seen` has the first and last `seq` of each received stretch. */
export const CaptureStream = Schema.Struct({
  name: Schema.String,
  seen: Schema.Array(Schema.Tuple([Schema.Natural, Schema.Natural]))
})
export type CaptureStream = typeof CaptureStream.Type

/**
 * State of one recording session. `finishing` and `abandoning`: the capture is closed, and its parts are being joined. `finished` and
 * `abandoned`: the capture is complete; the recording enters its folder when the work on its video is done.
 */
export const CaptureState = Schema.Literals(["open", "finishing", "abandoning", "finished", "abandoned"])
export type CaptureState = typeof CaptureState.Type

export const Capture = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  recordingUuid: RecordingUuid,
  /** The first title of the recording. */
  title: Schema.NullOr(Schema.String),
  linkId: Schema.NullOr(Schema.String),
  siteId: Schema.NullOr(Schema.String),
  folderId: Schema.NullOr(FolderId),
  state: CaptureState,
  beganAt: Instant,
  expiresAt: Instant,
  maxBytes: Schema.Natural,
  receivedBytes: Schema.Natural,
  uploads: Schema.Array(CaptureUpload),
  streams: Schema.Array(CaptureStream),
  use: Use,
  redactions: RedactionCounts,
  /** Number of the last piece, counted from 1. */
  lastPiece: Schema.Natural,
  /** Number of written pieces of video, including those of removed uploads. */
  videoPieces: Schema.Natural,
  /** Number of log tokens that were created by pairing. */
  pairings: Schema.Natural
})
export type Capture = typeof Capture.Type

/** Returns the bytes of video that are not joined yet. A completed capture has none, because its recording has the files. */
export const heldBytes = ({ receivedBytes, state }: Capture): number =>
  state === "finished" || state === "abandoned" ? 0 : receivedBytes

/** A stretch of an upload's bytes, or of a stream's lines. Pieces follow each other by `sequence`. */
export const CapturePiece = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("video"),
    sequence: Schema.Natural,
    uploadId: Schema.String,
    fileId: Schema.String,
    sizeBytes: Schema.Natural
  }),
  /** `lines`: JSON Lines, gzipped, in base64. The first piece of a stream begins with its header. */
  Schema.Struct({
    kind: Schema.Literal("log"),
    sequence: Schema.Natural,
    stream: Schema.String,
    lines: Schema.String
  })
])
export type CapturePiece = typeof CapturePiece.Type

/**
 * Credentials of a capture, stored as keyed hashes. A capture token permits all calls, a log token permits writing the log and pairing, a
 * code permits one pairing. A begin key, which the caller creates, returns the capture that was started with it.
 */
export const CaptureToken = Schema.Struct({
  hash: Schema.String,
  captureId: Schema.String,
  kind: Schema.Literals(["capture", "log", "code", "begin"]),
  expiresAt: Instant
})
export type CaptureToken = typeof CaptureToken.Type

/** Returns whether an agent started the capture for a recording of their own, and no customer by a link or on a site. */
export const isAgents = ({ linkId, siteId }: Pick<Capture, "linkId" | "siteId">): boolean =>
  linkId === null && siteId === null

/** Returns whether the recording of the capture is still incomplete. */
export const isCapturing = ({ state }: Pick<Capture, "state">): boolean => state !== "finished" && state !== "abandoned"

/** Returns whether the capture is closed, and its parts are to be joined. */
export const isClosed = ({ state }: Pick<Capture, "state">): boolean => state === "finishing" || state === "abandoning"

/** `FinishRequested`: by its page. `FellSilent`: no sign of life for ten minutes. `Joined`: its parts are joined. */
export type CaptureEvent = "FinishRequested" | "FellSilent" | "Joined"

/** The event has no effect in the state. */
export class CaptureEventIgnored extends Schema.TaggedError<CaptureEventIgnored>()("CaptureEventIgnored", {
  state: CaptureState
}) {
  override get message() {
    return `The event changes nothing: the capture is ${this.state}`
  }
}

const transitions: Readonly<Record<CaptureState, Partial<Readonly<Record<CaptureEvent, CaptureState>>>>> = {
  open: { FinishRequested: "finishing", FellSilent: "abandoning" },
  finishing: { Joined: "finished" },
  abandoning: { Joined: "abandoned" },
  finished: {},
  abandoned: {}
}

/** Returns the state of a capture after an event. A capture that is closed stays closed, and one that is complete does not change. */
export const decideCapture = (
  state: CaptureState,
  event: CaptureEvent
): Result.Result<CaptureState, CaptureEventIgnored> => {
  const next = transitions[state][event]
  return next === undefined ? Result.fail(new CaptureEventIgnored({ state })) : Result.succeed(next)
}
