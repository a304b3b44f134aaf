import { decideTranscript, type Recording, type Transcript } from "@tapedeck/domain"
import { Context, Effect, Layer, Result } from "effect"
import type { Caller } from "../Caller.ts"
import { Conflicting, type Invalid, type NotFound } from "../errors.ts"
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

/** What people do with transcripts: correct them, and have them made again (R14, R15). */
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

      const request = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const { recording: before } = yield* recordings.get(caller, uuid)
        const transcript = before.transcript ?? noTranscript
        const next = decideTranscript(transcript.status, "Requested")
        if (Result.isFailure(next)) return yield* new Conflicting({ reason: "The transcript is being made already" })
        const after: Recording = { ...before, transcript: { ...transcript, status: next.success } }
        yield* store.recordings.save(after)
        yield* audit(caller, "transcript.requested", target(after), {
          status: { from: transcript.status, to: next.success }
        })
        return after
      })

      const read = (caller: Caller, uuid: string) =>
        Effect.flatMap(recordings.get(caller, uuid), ({ recording }) => transcripts.read(recording))

      return TranscriptSettings.of({
        read: (caller, uuid) => store.transaction(read(caller, uuid)),
        edit: (caller, uuid, input) => store.transaction(edit(caller, uuid, input)),
        request: (caller, uuid) => store.transaction(request(caller, uuid))
      })
    })
  )
}

/** The transcript of a recording that has none, which reads as `unavailable` (R13). */
const noTranscript: Transcript = {
  status: "unavailable",
  language: null,
  speakerMap: {},
  edited: null,
  processed: null,
  legacyText: null
}

const target = ({ uuid }: Recording) => ({ type: "recording", id: uuid })
