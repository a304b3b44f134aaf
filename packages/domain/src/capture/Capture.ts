import * as Schema from "effect/Schema"
import { AccountId, FolderId, RecordingUuid } from "../ids.ts"
import { Instant } from "../time.ts"
import { RedactionCounts } from "./RedactionCounts.ts"

/** What of a capture's log is kept and cut off (`LogUse`). */
const Use = Schema.Struct({
  events: Schema.Natural,
  bytes: Schema.Natural,
  beyondEvents: Schema.Natural,
  beyondBytes: Schema.Natural,
  cutText: Schema.Natural,
  cutBody: Schema.Natural,
  cutHeaders: Schema.Natural
})

/** An upload of one run of the recorder, as far as it has come. */
export const CaptureUpload = Schema.Struct({
  id: Schema.String,
  part: Schema.Natural,
  offset: Schema.Natural,
  /** Null: not declared yet. */
  sizeBytes: Schema.NullOr(Schema.Natural),
  contentType: Schema.String,
  /** `Upload-Metadata`, as it came. */
  metadata: Schema.String
})
export type CaptureUpload = typeof CaptureUpload.Type

/** A writer of the log. `seen`: pairs of the first and last `seq` of each stretch that has come. */
export const CaptureStream = Schema.Struct({
  name: Schema.String,
  seen: Schema.Array(Schema.Tuple([Schema.Natural, Schema.Natural]))
})
export type CaptureStream = typeof CaptureStream.Type

/**
 * One session of recording. `finishing` and `abandoning`: no more comes, and what came is being put together. `finished` and
 * `abandoned`: it is done; the recording enters its folder when the work on its video is done.
 */
export const CaptureState = Schema.Literals(["open", "finishing", "abandoning", "finished", "abandoned"])
export type CaptureState = typeof CaptureState.Type

export const Capture = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  recordingUuid: RecordingUuid,
  /** The recording's first title. */
  title: Schema.NullOr(Schema.String),
  linkId: Schema.NullOr(Schema.String),
  siteId: Schema.NullOr(Schema.String),
  folderId: Schema.NullOr(FolderId),
  state: CaptureState,
  beganAt: Instant,
  expiresAt: Instant,
  /** When something happens unless the capture shows signs of life: it is abandoned, its work is taken up again, its folder entered. Null: nothing. */
  dueAt: Schema.NullOr(Instant),
  /** How often its completion was claimed. Only the last claim may complete it. */
  fence: Schema.Natural,
  /** Whether a process is completing it. Its lease ends at `dueAt`. */
  isClaimed: Schema.Boolean,
  maxBytes: Schema.Natural,
  receivedBytes: Schema.Natural,
  uploads: Schema.Array(CaptureUpload),
  streams: Schema.Array(CaptureStream),
  use: Use,
  redactions: RedactionCounts,
  /** Of pieces, from 1. */
  lastPiece: Schema.Natural,
  /** Pieces of video that were written, also those of removed uploads. */
  videoPieces: Schema.Natural,
  /** Log tokens given out by pairing. */
  pairings: Schema.Natural
})
export type Capture = typeof Capture.Type

/** Bytes of video that wait to be joined. A done capture has none: they are in its recording's files. */
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
 * What opens a capture: a capture token everything, a log token its log and pairing, a code one pairing. A begin key, which the
 * caller made, is answered with the capture that it began. Kept as keyed hashes.
 */
export const CaptureToken = Schema.Struct({
  hash: Schema.String,
  captureId: Schema.String,
  kind: Schema.Literals(["capture", "log", "code", "begin"]),
  expiresAt: Instant
})
export type CaptureToken = typeof CaptureToken.Type
