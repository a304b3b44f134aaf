import {
  decideTranscript,
  noTranscript,
  parseTranscript,
  type Recording,
  settledTranscript,
  type TranscriptFormat,
  TranscriptUnreadable,
  withRecognized
} from "@tapedeck/domain"
import { Context, Effect, Layer, Result } from "effect"
import type { Caller } from "../Caller.ts"
import { Conflicting, type Invalid, type NotFound } from "../errors.ts"
import { makeTranscript } from "../media/MediaWork.ts"
import { Recordings } from "../Recordings.ts"
import { Store } from "../Store.ts"
import { checkSegments } from "../startDocument/checkRecordings.ts"
import { within } from "../startDocument/problems.ts"
import { SegmentEntry } from "../startDocument/recordingSchema.ts"
import { segmentsFrom } from "../startDocument/recordings.ts"
import { Transcripts } from "../Transcripts.ts"
import { auditor } from "./audited.ts"
import { list, object, optional, record, text } from "./fields.ts"
import { readInput, type SettingsInput } from "./input.ts"

const TranscriptInput = object(
  {
    segments: list(SegmentEntry, "The whole transcript. An empty list takes the edits back."),
    ...optional({ speaker_map: record(text("Display name."), "Display names by diarization speaker index.") })
  },
  "An edited transcript."
)

/** A transcript that was written elsewhere. */
export interface TranscriptText {
  readonly format: TranscriptFormat
  readonly text: string
}

/** What people do with transcripts: correct them, bring their own, and have them made again (R14, R15). */
export class TranscriptSettings extends Context.Service<
  TranscriptSettings,
  {
    /** As a reader sees it; it counts as a read. */
    readonly read: (caller: Caller, uuid: string) => Effect.Effect<Recording, NotFound>
    /** The segments become the edited source, as a whole (R14). Only what is `ready` can be edited. */
    readonly edit: (
      caller: Caller,
      uuid: string,
      input: SettingsInput
    ) => Effect.Effect<Recording, NotFound | Conflicting | Invalid>
    /**
     * What the text says becomes the processed source, as a whole; edits go on coming first (R14). It is `ready` then,
     * whatever it was before: who is about to make one is not waited for.
     */
    readonly import: (
      caller: Caller,
      uuid: string,
      given: TranscriptText
    ) => Effect.Effect<Recording, NotFound | TranscriptUnreadable>
    /** Asks for the transcript, for the first time or again (R15). Edits stay, and go on coming first. */
    readonly request: (caller: Caller, uuid: string) => Effect.Effect<Recording, NotFound | Conflicting>
  }
>()("@tapedeck/core/TranscriptSettings") {
  static readonly layer = Layer.effect(
    TranscriptSettings,
    Effect.gen(function* () {
      const store = yield* Store
      const recordings = yield* Recordings
      const transcripts = yield* Transcripts
      const audit = yield* auditor

      const edit = Effect.fnUntraced(function* (caller: Caller, uuid: string, input: SettingsInput) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        const transcript = before.transcript ?? noTranscript
        if (transcript.status !== "ready") {
          const reason = `The transcript is ${transcript.status}: only one that is ready can be edited`
          return yield* new Conflicting({ reason })
        }
        const given = yield* readInput(TranscriptInput, input, (rest, report) =>
          Effect.sync(() => checkSegments(rest.segments, within(report, "segments")))
        )
        const edited = given.segments.length === 0 ? null : segmentsFrom(given.segments)
        const after: Recording = {
          ...before,
          transcript: { ...transcript, edited, speakerMap: given.speaker_map ?? transcript.speakerMap }
        }
        yield* store.recordings.save(after)
        yield* audit(caller, "transcript.updated", target(after), {
          segments: { from: transcript.edited?.length ?? null, to: edited?.length ?? null }
        })
        return after
      })

      const bringIn = Effect.fnUntraced(function* (caller: Caller, uuid: string, { format, text }: TranscriptText) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        const transcript = before.transcript ?? noTranscript
        const recognized = yield* Effect.fromResult(parseTranscript(format, text))
        if (recognized.segments.length === 0) {
          return yield* new TranscriptUnreadable({ problem: "nothing is said in it", line: 1, column: 1 })
        }
        const after: Recording = { ...before, transcript: settledTranscript(withRecognized(transcript, recognized)) }
        yield* store.recordings.save(after)
        yield* store.mediaJobs.remove(after.uuid, "transcribe")
        yield* audit(caller, "transcript.updated", target(after), {
          imported: { from: null, to: format },
          segments: { from: transcript.processed?.length ?? null, to: recognized.segments.length }
        })
        return after
      })

      const request = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        const transcript = before.transcript ?? noTranscript
        const next = decideTranscript(transcript.status, "Requested")
        if (Result.isFailure(next)) return yield* new Conflicting({ reason: "The transcript is being made already" })
        const asked: Recording = { ...before, transcript: { ...transcript, status: next.success } }
        const after = yield* Effect.provideService(makeTranscript(asked), Store, store)
        yield* store.recordings.save(after)
        yield* audit(caller, "transcript.requested", target(after), {
          status: { from: transcript.status, to: after.transcript?.status ?? next.success }
        })
        return after
      })

      const read = (caller: Caller, uuid: string) =>
        Effect.flatMap(recordings.get(caller, uuid), ({ recording }) => transcripts.read(recording))

      return TranscriptSettings.of({
        read: (caller, uuid) => store.transaction(read(caller, uuid)),
        edit: (caller, uuid, input) => store.transaction(edit(caller, uuid, input)),
        import: (caller, uuid, given) => store.transaction(bringIn(caller, uuid, given)),
        request: (caller, uuid) => store.transaction(request(caller, uuid))
      })
    })
  )
}

const target = ({ uuid }: Recording) => ({ type: "recording", id: uuid })
