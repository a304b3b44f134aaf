import type { JsonObject, Recording } from "@tapedeck/domain"
import { harOf, importedLog, type LogKind, type LogUnreadable, logText } from "@tapedeck/domain/capture"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../audit/audited.ts"
import { NotFound, type StateConflict, type Unauthenticated } from "../errors.ts"
import { refuseTrimmed } from "../files/TrimSettings.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { type OwnedRecording, Recordings } from "../recordings/Recordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { refuseCapturing } from "./captureOfRecording.ts"
import { saveLog, withLog } from "./finish.ts"
import { storedLog } from "./storedLog.ts"

/** Which events: all that is given must hold. Times in milliseconds since the video's start. */
export interface LogFilter {
  readonly kinds?: ReadonlyArray<LogKind>
  /** From this time on. */
  readonly from?: number
  /** Before this time. */
  readonly to?: number
}

/** The capture logs of recordings. A recording that the caller may not see does not exist (R4). */
export class CaptureLogs extends Context.Service<
  CaptureLogs,
  {
    /** JSON Lines. */
    readonly read: (caller: Caller, uuid: string, filter: LogFilter) => Effect.Effect<string, NotFound>
    /** HAR's `log`. */
    readonly har: (caller: Caller, uuid: string) => Effect.Effect<JsonObject, NotFound>
    /** In the place of the log before: a capture log, or HAR 1.2. */
    readonly import: (
      caller: Caller,
      uuid: string,
      text: string
    ) => Effect.Effect<OwnedRecording, StateConflict | LogUnreadable | NotFound | Unauthenticated>
  }
>()("@tapedeck/core/CaptureLogs") {
  static readonly layer = Layer.effect(
    CaptureLogs,
    Effect.gen(function* () {
      const store = yield* storeOf("captures", "recordingParts", "recordings")
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
        const { from = Number.NEGATIVE_INFINITY, kinds, to = Number.POSITIVE_INFINITY } = filter
        const { events, header } = yield* find(caller, uuid)
        const chosen = events.filter(
          ({ kind, t }) => t >= from && t < to && (kinds === undefined || kinds.includes(kind))
        )
        return logText({ header, events: chosen })
      })

      const replace = Effect.fn("CaptureLogs.import")(function* (caller: Caller, uuid: string, text: string) {
        const { owner, recording: before } = yield* recordings.get(caller, uuid)
        yield* refuseCapturing(before, "log")
        yield* refuseTrimmed(before)
        const { log, redactions } = yield* Effect.fromResult(importedLog(text, before.customerEmail))
        const recording = { ...withLog(before, redactions, log), updatedAt: yield* now }
        yield* store.recordings.save(recording)
        yield* saveLog(recording, log)
        yield* audit(
          caller,
          "recording.updated",
          { type: "recording", id: recording.uuid },
          { log: { from: before.redactions === undefined ? null : "log", to: "log" } }
        )
        return { owner, recording }
      })

      return CaptureLogs.of({
        read,
        har: (caller, uuid) => Effect.map(find(caller, uuid), (log) => harOf(log, { name: vendor, version }).log),
        import: (caller, uuid, text) => Effect.provide(write(caller, replace(caller, uuid, text)), storeContext(store))
      })
    })
  )
}
