import type { Recording } from "@tapedeck/domain"
import {
  eventOfLine,
  HarWriter,
  importedLog,
  kindOfLine,
  type LogKind,
  type LogLine,
  type LogUnreadable,
  type NavigationEvent,
  type NetworkEvent,
  type Repairs
} from "@tapedeck/domain/capture"
import { Context, Effect, Layer, type Scope } from "effect"
import { auditor } from "../audit/audited.ts"
import { NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { refuseTrimmed } from "../files/TrimSettings.ts"
import { inSlices } from "../inSlices.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { type OwnedRecording, Recordings } from "../recordings/Recordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { refuseCapturing } from "./captureOfRecording.ts"
import { saveLog, withLog } from "./finish.ts"
import { type LogText, logText, openedText, packLog, type StoredLog, storedLog, withWholeLog } from "./storedLog.ts"

/** Filters of events, all of which must match. Times are in milliseconds since the video's start. */
export interface LogFilter {
  readonly kinds?: ReadonlyArray<LogKind>
  /** Start, inclusive. */
  readonly from?: number
  /** End, exclusive. */
  readonly to?: number
}

/** A recording whose log was imported. `repairs`: what was changed or left out so that the rest could be read. */
export interface LogImported extends OwnedRecording {
  readonly repairs: Repairs
}

/** The capture logs of recordings. A recording that the caller may not see does not exist (R4). */
export class CaptureLogs extends Context.Service<
  CaptureLogs,
  {
    /** JSON Lines. */
    readonly read: (caller: Caller, uuid: string, filter: LogFilter) => Effect.Effect<LogText, NotFound, Scope.Scope>
    /** HAR 1.2. */
    readonly har: (caller: Caller, uuid: string) => Effect.Effect<LogText, NotFound, Scope.Scope>
    /** Replaces the log by a capture log, or HAR 1.2. `repairs`: those of its text. */
    readonly import: (
      caller: Caller,
      uuid: string,
      text: string,
      repairs?: Repairs
    ) => Effect.Effect<LogImported, StateConflict | LogUnreadable | NotFound | Unauthenticated>
  }
>()("@tapedeck/core/CaptureLogs") {
  static readonly layer = Layer.effect(
    CaptureLogs,
    Effect.gen(function* () {
      const store = yield* storeOf("captures", "changes", "recordingParts", "recordings")
      const write = yield* writer
      const recordings = yield* Recordings
      const { vendor, version } = yield* ServiceConfig
      const audit = yield* auditor

      const logOf = (recording: Recording) =>
        Effect.flatMap(Effect.provide(storedLog(recording), storeContext(store)), (log) =>
          log === undefined ? Effect.fail(new NotFound({ what: "Capture log" })) : Effect.succeed(log)
        )

      const find = (caller: Caller, uuid: string) =>
        Effect.flatMap(recordings.get(caller, uuid), ({ recording }) => logOf(recording))

      const read = Effect.fn("CaptureLogs.read")(function* (caller: Caller, uuid: string, filter: LogFilter) {
        const log = yield* find(caller, uuid)
        return yield* openedText(log, logText(log, isIn(filter)))
      })

      const har = Effect.fn("CaptureLogs.har")(function* (caller: Caller, uuid: string) {
        const log = yield* find(caller, uuid)
        return yield* openedText(log, harOf(log, { name: vendor, version }))
      })

      const found = Effect.fnUntraced(function* (caller: Caller, uuid: string) {
        const owned = yield* recordings.get(caller, uuid)
        yield* refuseCapturing(owned.recording, "log")
        yield* refuseTrimmed(owned.recording)
        return owned
      })

      const replace = Effect.fn("CaptureLogs.import")(function* (
        caller: Caller,
        uuid: string,
        text: string,
        given?: Repairs
      ) {
        const { customerEmail } = (yield* found(caller, uuid)).recording
        const { log, redactions, repairs } = yield* Effect.fromResult(
          yield* inSlices(importedLog(text, customerEmail, given))
        )
        const packed = yield* packLog(log)
        const save = Effect.gen(function* () {
          const { owner, recording: before } = yield* found(caller, uuid)
          if (before.customerEmail !== customerEmail) return yield* changedMeanwhile
          const recording = { ...withLog(before, redactions, packed.summary), updatedAt: yield* now }
          yield* store.recordings.save(recording)
          yield* store.changes.publishOnCommit(recordingChange(recording))
          yield* saveLog(recording, packed)
          yield* audit(
            caller,
            "recording.updated",
            { type: "recording", id: recording.uuid },
            { log: { from: before.redactions === undefined ? null : "log", to: "log" } }
          )
          return { owner, recording, repairs }
        })
        return yield* write(caller, save)
      })

      return CaptureLogs.of({
        read,
        har,
        import: (caller, uuid, text, repairs) =>
          Effect.provide(withWholeLog(replace(caller, uuid, text, repairs)), storeContext(store))
      })
    })
  )
}

/** The log was redacted for another customer. */
const changedMeanwhile = Effect.fail(
  new StateConflict({ reason: "The customer's e-mail address changed while the log was read. Import it again" })
)

const isIn =
  ({ from = Number.NEGATIVE_INFINITY, kinds, to = Number.POSITIVE_INFINITY }: LogFilter) =>
  (line: LogLine): boolean =>
    line.t >= from && line.t < to && (kinds === undefined || kinds.includes(kindOfLine(line)))

/** Reads the log twice: the pages come first, and each entry names its page. */
async function* harOf(log: StoredLog, creator: { readonly name: string; readonly version: string }) {
  let writer: HarWriter | undefined
  for await (const { header, lines } of log.blocks()) {
    const begins = writer === undefined
    writer ??= new HarWriter(header, creator)
    const pages = lines.filter((line) => kindOfLine(line) === "navigation")
    const text = pages.map((line) => writer!.page(eventOfLine(line) as NavigationEvent)).join("")
    if (begins || text !== "") yield begins ? writer.head + text : text
  }
  if (writer === undefined) return
  const { between, tail } = writer
  const entryOf = writer.entry.bind(writer)
  yield between
  for await (const { lines } of log.blocks()) {
    const requests = lines.filter((line) => kindOfLine(line) === "network")
    const text = requests.map((line) => entryOf(eventOfLine(line) as NetworkEvent)).join("")
    if (text !== "") yield text
  }
  yield tail
}
