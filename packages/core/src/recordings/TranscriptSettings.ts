import type { Recording } from "@tapedeck/domain"
import { Repairs } from "@tapedeck/domain/capture"
import { type DecodedInput, isPartTooLong, PART_TOO_LONG, type TranscriptInput, within } from "@tapedeck/domain/input"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain/internal/text"
import {
  decideTranscript,
  noTranscript,
  settledTranscript,
  shownTranscript,
  withLegacyText,
  withRecognized,
  withStatus
} from "@tapedeck/domain/internal/transcript"
import {
  type RecognizedTranscript,
  readTranscript,
  type TranscriptFormat,
  TranscriptUnreadable
} from "@tapedeck/domain/transcript"
import { Context, Effect, Layer, Result } from "effect"
import { auditor } from "../audit/audited.ts"
import { type InputInvalid, type NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { cancelMediaJobs, makeTranscript } from "../files/media/MediaWork.ts"
import { whenFull } from "../files/space.ts"
import { refuseTrimmed } from "../files/TrimSettings.ts"
import { valueOf } from "../input/decodeInput.ts"
import { segmentsFrom } from "../input/recordingFields.ts"
import { inSlices } from "../inSlices.ts"
import { mapYielding } from "../mapYielding.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange, transcriptChange } from "../store/changes/changes.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { checkSegments } from "./checkRecording.ts"
import type { ReadRecording } from "./RecordingContent.ts"
import { Recordings } from "./Recordings.ts"
import { renewSummary, startSummary } from "./summaries/startSummary.ts"
import { countedWrite, endSummary } from "./summaries/transcriptSummary.ts"
import { Transcripts } from "./Transcripts.ts"

/** A transcript that was written elsewhere. */
export interface TranscriptText {
  /** `text`: without times, as older recordings have it. */
  readonly format: TranscriptFormat | "text"
  readonly text: string
}

/** A recording whose transcript was imported. `repairs`: what was changed or left out so that the rest could be read. */
export interface TranscriptImported extends ReadRecording {
  readonly repairs: Repairs
}

/** Edits, imports and requests transcripts (R14, R15). */
export class TranscriptSettings extends Context.Service<
  TranscriptSettings,
  {
    /** The transcript as readers get it; this counts as a read. */
    readonly read: (caller: Caller, uuid: string) => Effect.Effect<ReadRecording, NotFound>
    /**
     * The segments become the edited source, as a whole (R14): also of a recording that has no transcript. One that is being
     * made can be edited only where it has edits already. Generated texts are generated again, unless that exceeds their limits.
     */
    readonly edit: (
      caller: Caller,
      uuid: string,
      input: DecodedInput<TranscriptInput>
    ) => Effect.Effect<ReadRecording, NotFound | StateConflict | InputInvalid | Unauthenticated>
    /**
     * The text becomes the processed source, as a whole; edits keep their precedence (R14). It is `ready` then,
     * whatever its status was before, even while one is being made. Texts are generated, unless that exceeds their limits.
     */
    readonly import: (
      caller: Caller,
      uuid: string,
      given: TranscriptText
    ) => Effect.Effect<TranscriptImported, StateConflict | NotFound | TranscriptUnreadable | Unauthenticated>
    /** Requests the transcript, for the first time or again (R15). Edits stay, and keep their precedence. */
    readonly request: (
      caller: Caller,
      uuid: string
    ) => Effect.Effect<ReadRecording, NotFound | StateConflict | Unauthenticated>
  }
>()("@tapedeck/core/TranscriptSettings") {
  static readonly layer = Layer.effect(
    TranscriptSettings,
    Effect.gen(function* () {
      const config = yield* ServiceConfig
      const store = yield* storeOf("changes", "jobs", "recordingParts", "recordings", "transaction", "tryWindows")
      const write = yield* writer
      const recordings = yield* Recordings
      const transcripts = yield* Transcripts
      const audit = yield* auditor

      /** Runs the write, which may start a generation of texts. Not inside a transaction. */
      const counted = <Written extends ReadRecording, E>(
        caller: Caller,
        recording: Recording,
        written: (maySummarize: boolean) => Effect.Effect<Written, E>
      ) => (config.mediaWork.summarizes ? countedWrite(store, caller, recording, written) : written(true))

      const edit = Effect.fn("TranscriptSettings.edit")(function* (
        caller: Caller,
        uuid: string,
        input: DecodedInput<TranscriptInput>,
        maySummarize: boolean
      ) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        yield* refuseTrimmed(before)
        const transcript = before.transcript ?? noTranscript
        if (shownTranscript(transcript).status === "processing") {
          return yield* new StateConflict({ reason: "The transcript is being made: it can be edited when it is ready" })
        }
        const given = yield* valueOf(input, (rest, report) =>
          Effect.sync(() => checkSegments(rest.segments, within(report, "segments")))
        )
        const edited = segmentsFrom(given.segments)
        const changed = { ...transcript, edited: edited.length }
        const shown = transcript.status === "processing" ? changed : settledTranscript(changed)
        const withEdits: Recording = { ...before, transcript: shown }
        const renewed = maySummarize ? renewSummary(withEdits, config.mediaWork) : endSummary(withEdits)
        const after = yield* Effect.provide(renewed, storeContext(store))
        yield* store.recordings.save(after)
        yield* store.changes.publishOnCommit(recordingChange(after))
        const { speaker_map: speakerMap } = given
        yield* store.recordingParts.save(after.id, { edited, ...(speakerMap !== undefined && { speakerMap }) })
        yield* store.changes.publishOnCommit(transcriptChange(after))
        yield* audit(caller, "transcript.updated", target(after), {
          segments: { from: transcript.edited || null, to: edited.length || null }
        })
        return yield* opened(after)
      })

      const importable = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const { recording } = yield* recordings.get(caller, uuid)
        yield* refuseTrimmed(recording)
        return recording
      })

      /** Read before the transaction, because that takes long; the transaction looks the recording up again. */
      const bringIn = Effect.fn("TranscriptSettings.import")(function* (
        caller: Caller,
        uuid: string,
        given: TranscriptText
      ) {
        const recording = yield* importable(caller, uuid)
        const repairs = new Repairs()
        const read = yield* given.format === "text"
          ? readLegacyText(given.text)
          : inSlices(readTranscript(given.format, given.text, repairs)).pipe(
              Effect.flatMap(Effect.fromResult),
              Effect.flatMap(requireShortParts)
            )
        const written = yield* counted(caller, recording, (maySummarize) =>
          write(caller, saveImported(caller, uuid, { format: given.format, read }, maySummarize))
        )
        return { ...written, repairs }
      })

      const saveImported = Effect.fnUntraced(function* (
        caller: Caller,
        uuid: string,
        { format, read }: { readonly format: TranscriptText["format"]; readonly read: string | RecognizedTranscript },
        maySummarize: boolean
      ) {
        const before = yield* importable(caller, uuid)
        const transcript = before.transcript ?? noTranscript
        const changed = typeof read === "string" ? withLegacyText(transcript, read) : withRecognized(transcript, read)
        const segments = typeof read === "string" ? 1 : read.segments.length
        const imported: Recording = { ...before, transcript: settledTranscript(changed.transcript) }
        const started = maySummarize ? startSummary(imported, config.mediaWork) : endSummary(imported)
        const after = yield* Effect.provide(started, storeContext(store))
        yield* store.recordings.save(after)
        yield* store.changes.publishOnCommit(recordingChange(after))
        yield* store.recordingParts.save(after.id, changed.texts)
        yield* store.changes.publishOnCommit(transcriptChange(after))
        yield* cancelMediaJobs(store, after.uuid, "transcribe")
        yield* audit(caller, "transcript.updated", target(after), {
          imported: { from: null, to: format },
          segments: { from: transcript.processed || null, to: segments }
        })
        return yield* opened(after)
      })

      const request = Effect.fn("TranscriptSettings.request")(function* (caller: Caller, uuid: string) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        const transcript = before.transcript ?? noTranscript
        const next = decideTranscript(transcript.status, "Requested")
        if (Result.isFailure(next)) return yield* new StateConflict({ reason: "The transcript is being made already" })
        const requested: Recording = { ...before, transcript: withStatus(transcript, next.success) }
        const after = yield* Effect.provide(makeTranscript(requested, config.mediaWork), storeContext(store))
        yield* store.recordings.save(after)
        yield* store.changes.publishOnCommit(recordingChange(after))
        yield* audit(caller, "transcript.requested", target(after), {
          status: { from: transcript.status, to: after.transcript?.status ?? next.success }
        })
        return yield* opened(after)
      })

      const opened = (recording: Recording): Effect.Effect<ReadRecording> =>
        Effect.map(transcripts.open(recording), (transcript) => ({ recording, transcript }))

      const read = (caller: Caller, uuid: string) =>
        Effect.flatMap(recordings.get(caller, uuid), ({ recording }) =>
          Effect.flatMap(transcripts.read(recording), opened)
        )

      return TranscriptSettings.of({
        // A read that shares its commit with a write that found no space is repeated alone.
        read: (caller, uuid) => whenFull(store.transaction(read(caller, uuid)), read(caller, uuid)),
        edit: (caller, uuid, input) =>
          Effect.flatMap(recordings.get(caller, uuid), ({ recording }) =>
            counted(caller, recording, (maySummarize) => write(caller, edit(caller, uuid, input, maySummarize)))
          ),
        import: bringIn,
        request: (caller, uuid) => write(caller, request(caller, uuid))
      })
    })
  )
}

/** A transcript without times. */
const readLegacyText = (text: string): Effect.Effect<string, TranscriptUnreadable> => {
  if (text.trim() === "") return unreadable(SILENT)
  if (!isStorableText(text)) return unreadable(UNSTORABLE_TEXT)
  return isPartTooLong(text) ? unreadable(PART_TOO_LONG) : Effect.succeed(text)
}

/** The transcript, if it has words, and no part of it is too long. */
const requireShortParts = Effect.fnUntraced(function* (recognized: RecognizedTranscript) {
  const { segments, speakerMap } = recognized
  if (segments.length === 0) return yield* unreadable(SILENT)
  const areLong = yield* mapYielding(
    segments,
    isPartTooLong,
    (_, { sentences, text }) => text.length + 64 * sentences.length
  )
  const long = areLong.indexOf(true)
  if (long !== -1) return yield* unreadable(`segment ${long + 1} ${PART_TOO_LONG}`)
  if (isPartTooLong(speakerMap)) return yield* unreadable(`speaker_map ${PART_TOO_LONG}`)
  return recognized
})

const SILENT = "nothing is said in it"

const unreadable = (problem: string) => new TranscriptUnreadable({ problem, line: 1, column: 1 })

const target = ({ uuid }: Recording) => ({ type: "recording", id: uuid })
