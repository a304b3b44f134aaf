import { type LogKind, logKinds } from "@tapedeck/domain/capture"
import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about, OptionalBody } from "../about.ts"
import { errorV2, logErrorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { count, dateTime, jsonObject, text, uuid } from "../wire/fields.ts"
import { RecordingUuidParameter } from "../wire/parameters.ts"
import { bodyErrors, created, id, noSuchRecording } from "./fields.ts"
import { IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { Recording } from "./wire/Recording.ts"
import { Repairs } from "./wire/Repairs.ts"

const params = { uuid: RecordingUuidParameter }
const noLog = errorV2("NotFound", "The recording does not exist, the caller cannot see it, or it has no log.")

const path = (what: string, example: string) =>
  text(`${what}, as a path from \`/\`.`, `/api/capture/captures/${example}`)

const exampleCapture = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"

export const Capture = Schema.Struct({
  id: id("capture"),
  recording_uuid: uuid("UUID of the recording, which has no video yet."),
  capture_token: text(
    "Token for the calls of this capture, and no others. Send it as `Authorization: Capture <capture_token>`.",
    "5sZzYb0kq1m3vN8xW2pLr7aTfGhJcKdQ"
  ),
  video_url: path("Address that creates tus uploads", `${exampleCapture}/video`),
  logs_url: path("Address that receives log lines", `${exampleCapture}/logs`),
  finish_url: path("Address that ends the capture", `${exampleCapture}/finish`),
  max_duration_seconds: count("Maximum duration of the recording, in seconds.", 1_800),
  expires_at: dateTime("Expiry of the token.")
}).annotate({ identifier: "Capture", description: "A capture that has started." })

export const CaptureInput = input.CaptureInput.annotate({
  identifier: "CaptureInput",
  examples: [{ title: "How to export", helpdesk: { platform: "zendesk", ticket_id: "4711" } }]
})

const begin = HttpApiEndpoint.post("begin", "/captures", {
  headers: idempotencyKey,
  payload: CaptureInput,
  success: created(Capture),
  error: [...bodyErrors, errorV2("Conflict", "The member has reached the quota that the message names.")]
})
  .annotate(OptionalBody, true)
  .annotateMerge(
    about(
      "captures.begin",
      "Start a capture",
      "Creates a recording of type `Sent`, which the caller owns, and which has no video yet. All fields are optional.",
      "recording.created"
    )
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

const ms = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] }).check(
    Schema.makeFilter((given: string) => /^-?\d{1,13}$/.test(given) || "must be an integer, in milliseconds")
  )

/** A log in the format HAR 1.2. */
export const Har = Schema.Struct({ log: jsonObject.annotate({ description: "`log` of HAR 1.2." }) }).annotate({
  identifier: "Har",
  description: "A log in the format HAR 1.2.",
  examples: [
    {
      log: {
        version: "1.2",
        creator: { name: "Tapedeck", version: "1.0.0" },
        pages: [{ startedDateTime: "2026-01-01T09:00:00.000Z", id: "page_1", title: "Cart", pageTimings: {} }],
        entries: []
      }
    }
  ]
})

const kindList = (given: string): ReadonlyArray<LogKind> | undefined => {
  const names = given.split(",")
  const known = names.flatMap((name) => logKinds.find((kind) => kind === name) ?? [])
  return known.length === names.length && names.length <= logKinds.length ? known : undefined
}

const kinds = Schema.String.annotate({
  description: `Only events of these kinds, as a comma-separated list of ${logKinds.join(", ")}.`,
  examples: ["console,error"]
}).check(
  Schema.makeFilter((given: string) => kindList(given) !== undefined || `must be some of ${logKinds.join(", ")}`)
)

const log = HttpApiEndpoint.get("log", "/recordings/:uuid/log", {
  params,
  query: {
    kinds: Schema.optionalKey(kinds),
    from: Schema.optionalKey(
      ms("Only events at or after this time, in milliseconds since the start of the video.", "0")
    ),
    to: Schema.optionalKey(ms("Only events before this time, in milliseconds since the start of the video.", "60000"))
  },
  success: Schema.String.annotate({ description: "JSON Lines: the header, then one event per line." }).pipe(
    HttpApiSchema.asText({ contentType: "application/x-ndjson" })
  ),
  error: noLog
})
  .annotateMerge(
    about(
      "recordings.log",
      "Get a capture log",
      "Returns the header of the log, and the events that match the filters, in the order of `seq`."
    )
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const har = HttpApiEndpoint.get("har", "/recordings/:uuid/log.har", {
  params,
  success: Har,
  error: noLog
})
  .annotateMerge(
    about("recordings.logHar", "Get a capture log as HAR", "Returns the network events of the log as HAR 1.2.")
  )
  .middleware(MemberAccess)

export const ImportedLog = Schema.Struct({
  ...Recording.fields,
  log_repairs: Repairs
}).annotate({
  identifier: "ImportedLog",
  description: "Recording whose log was imported, and the repairs of the log."
})

const importLog = HttpApiEndpoint.put("importLog", "/recordings/:uuid/log", {
  params,
  payload: [
    Har,
    Schema.String.annotate({ description: "A capture log as JSON Lines." }).pipe(
      HttpApiSchema.asText({ contentType: "application/x-ndjson" })
    )
  ],
  success: ImportedLog,
  error: [
    logErrorV2("The body is empty, or neither a capture log nor HAR. The message names the line or the path."),
    noSuchRecording,
    errorV2(
      "Conflict",
      "The recording is being captured or is trimmed, or its customer changed while the log was being read."
    ),
    errorV2("UnsupportedMediaType", "`Content-Type` is neither `application/x-ndjson` nor `application/json`.")
  ]
})
  .annotateMerge(
    about(
      "recordings.importLog",
      "Attach a log",
      "Replaces the log of a recording with a capture log or HAR 1.2 of up to 32 MiB. The log is redacted; bodies in it are kept. The " +
        "recording's console output, errors, browser and operating system are derived from the log, unless they were set. Content beyond " +
        "100,000 events, 20 MB, 8 kB of a message or 150 kB of a body is replaced by a `gap`. A line has at most 10,000 JSON values; a HAR " +
        "has at most 200,000 pages and entries. Unreadable pages and entries of a HAR are omitted, and so are those of more than 50,000 JSON " +
        "values. Bytes that are not UTF-8, NUL and lone surrogates become U+FFFD. The response lists the repairs.",
      "recording.updated"
    )
  )
  .middleware(MemberAccess)

export class Captures extends HttpApiGroup.make("captures")
  .add(begin, log, har, importLog)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Captures", description: "Recordings that agents make, and logs of recordings." })
  ) {}
