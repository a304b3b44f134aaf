import { PayloadTooLarge, settings, UnsupportedMediaType } from "@tapedeck/contract"
import { CaptureLogs, CaptureStarts } from "@tapedeck/core"
import { type LogKind, Repairs } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { AppOptions } from "../AppOptions.ts"
import { wireBegun } from "../capture/wire.ts"
import { fileText, mediaType } from "../jsonBody.ts"
import type { BodyLimit } from "../pipeline/requestBody.ts"
import { logResponse } from "../recordings/logResponse.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { managedRecordings } from "./wire/recording.ts"

/** A log has at most 20 MB, and as HAR more. */
const logLimit: BodyLimit = {
  maxBytes: 32 * 1024 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The log is larger than 32 MiB" })
}

/** Recordings that agents make, and the logs of recordings. */
export const captures = settingsEndpointsOf(settings.Api.groups.captures, {
  begin: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { beginByAgent } = yield* CaptureStarts
      return wireBegun(yield* beginByAgent(caller, yield* input), (yield* AppOptions).basePath)
    })
  },
  log: {
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const { read } = yield* CaptureLogs
      const { from, kinds, to } = query
      const log = yield* read(caller, params.uuid, {
        ...(kinds !== undefined && { kinds: kinds.split(",") as ReadonlyArray<LogKind> }),
        ...(from !== undefined && { from: Number(from) }),
        ...(to !== undefined && { to: Number(to) })
      })
      return logResponse(log, { contentType: "application/x-ndjson" })
    })
  },
  har: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { har } = yield* CaptureLogs
      return logResponse(yield* har(caller, params.uuid), { contentType: "application/json" })
    })
  },
  importLog: {
    body: logLimit,
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const logs = yield* CaptureLogs
      const type = mediaType(request) ?? "application/json"
      if (type !== "application/json" && type !== "application/x-ndjson") {
        const message = "Content-Type must be application/x-ndjson or application/json"
        return yield* new UnsupportedMediaType({ message })
      }
      const { isRepaired, text } = yield* fileText
      const repairs = new Repairs()
      if (isRepaired) repairs.note("the file", "Bytes that are not UTF-8 became U+FFFD")
      const owned = yield* logs.import(caller, params.uuid, text, repairs)
      const { count, first } = owned.repairs
      return { ...(yield* managedRecordings)(owned), log_repairs: { count, first } }
    })
  }
})
