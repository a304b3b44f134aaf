import { CaptureState } from "@tapedeck/domain/capture"
import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about, OptionalBody } from "../about.ts"
import { errorV2, logErrorV2 } from "../errors.ts"
import { created, exampleId, id, idParameter, noContent } from "../settings/fields.ts"
import { Anyone } from "../settings/middleware.ts"
import { dateTime, text, uuid } from "../wire/fields.ts"
import { CaptureLimits, CaptureToken } from "./middleware.ts"

const params = { id: idParameter("capture") }

const code = text("Code for one use.", "Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA")

export const Pairing = Schema.Struct({
  code,
  expires_at: dateTime("Expiry of the code: 60 seconds after its creation.")
}).annotate({
  identifier: "Pairing",
  description: "A code with which another page joins a capture."
})

export const PairingInput = Schema.Struct({ code }).annotate({
  identifier: "PairingInput",
  description: "The code of a capture.",
  examples: [{ code: "Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA" }]
})

export const PairedLog = Schema.Struct({
  capture_id: id("capture"),
  log_token: text(
    "Token that appends log lines and creates further codes: `Authorization: Capture …`.",
    "5sZzYb0kq1m3vN8xW2pLr7aTfGhJcKdQ"
  ),
  logs_url: text("Address to which log lines are sent: a path from `/`.", `/api/capture/captures/${exampleId}/logs`),
  started_at: dateTime("When the capture started.")
}).annotate({
  identifier: "PairedLog",
  description: "Token and address with which a page writes the log of a capture."
})

export const FinishInput = input.FinishInput.annotate({
  identifier: "FinishInput",
  examples: [{ title: "Checkout fails", note: "It happens after the second step." }]
})

export const FinishedCapture = Schema.Struct({
  id: id("capture"),
  recording_uuid: uuid("UUID of the recording."),
  state: CaptureState.annotate({
    description: "State of the capture. The recording enters its folder when the work on its video is done.",
    examples: ["finished"]
  })
}).annotate({ identifier: "FinishedCapture", description: "A capture that has ended." })

const invalid = [
  errorV2("UnsupportedMediaType", "The body is not of the type that this path takes."),
  errorV2("Unprocessable", "Values are not allowed; the message names every field that has one.")
] as const

const stream = Schema.String.annotate({
  description: "Names the writer: 1 to 64 letters, digits, `.`, `-` and `_`. Default: `main`.",
  examples: ["main"]
})

const logs = HttpApiEndpoint.post("logs", "/captures/:id/logs", {
  params,
  query: { stream: Schema.optionalKey(stream) },
  payload: [
    Schema.String.annotate({
      description: "Log lines, up to 4 MiB: the header first in a stream's first batch, then one event a line."
    }).pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
  ],
  success: noContent("The lines are stored; those whose `seq` had come are skipped."),
  error: [
    logErrorV2("A line cannot be read, the first batch of a stream has no header, or the capture has 50 streams."),
    invalid[0]
  ]
})
  .annotateMerge(
    about(
      "captures.appendLog",
      "Append log lines",
      "A malformed line refuses the whole batch; the answer names all such lines, so that the batch can be sent again without " +
        "them. A line has at most 10,000 values. NUL and lone surrogates become U+FFFD. Takes a log token, too."
    )
  )
  .middleware(CaptureToken)

const pair = HttpApiEndpoint.post("pair", "/captures/:id/pairing", {
  params,
  success: created(Pairing),
  error: errorV2("TooManyRequests", "More than 20 codes in a minute; `Retry-After` contains the time to wait.")
})
  .annotateMerge(
    about(
      "captures.pair",
      "Create a pairing code",
      "Creates a code with which `capture.js` in another tab or subdomain joins the capture. A log token is enough."
    )
  )
  .middleware(CaptureToken)

const finish = HttpApiEndpoint.post("finish", "/captures/:id/finish", {
  params,
  payload: [FinishInput],
  success: FinishedCapture,
  error: invalid
})
  .annotate(OptionalBody, true)
  .annotateMerge(
    about(
      "captures.finish",
      "Finish a capture",
      "Ends the capture, and starts the work on its video. A repeated request gets the same answer, also while the first one joins the video. " +
        "The body can be omitted."
    )
  )
  .middleware(CaptureToken)

const discard = HttpApiEndpoint.delete("discard", "/captures/:id", {
  params,
  success: noContent("The capture and its bytes are deleted.")
})
  .annotateMerge(
    about(
      "captures.discard",
      "Discard a capture",
      "Deletes the capture and its recording. A recording that a user has changed in the meantime stays. Returns the use to the link."
    )
  )
  .middleware(CaptureToken)

export class CaptureCalls extends HttpApiGroup.make("captures")
  .add(logs, pair, finish, discard)
  .middleware(CaptureLimits)
  .annotateMerge(OpenApi.annotations({ title: "Captures", description: "What a capture's token opens." })) {}

const redeem = HttpApiEndpoint.post("redeem", "/pairings", {
  payload: PairingInput,
  success: created(PairedLog),
  error: [
    errorV2("NotFound", "There is no such code, or it was used, or has expired."),
    errorV2("Unauthenticated", "The capture has ended, or has as many pages as it may."),
    invalid[0]
  ]
}).annotateMerge(about("pairings.redeem", "Join a capture", "Gives a page the token with which it writes the log."))

export class Pairings extends HttpApiGroup.make("pairings")
  .add(redeem)
  .middleware(Anyone)
  .middleware(CaptureLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Pairings", description: "How another page joins a capture. No token." })
  ) {}
