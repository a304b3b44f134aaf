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
  description: "Code with which another page joins a capture."
})

export const PairingInput = Schema.Struct({ code }).annotate({
  identifier: "PairingInput",
  description: "Code of a capture.",
  examples: [{ code: "Zk3x0mJ8dG5qVw2n4c7rB1tYpLh6sEaUfKiQoMj9DzA" }]
})

export const PairedLog = Schema.Struct({
  capture_id: id("capture"),
  log_token: text(
    "Token that appends log lines and creates further codes. Send it as `Authorization: Capture <log_token>`.",
    "5sZzYb0kq1m3vN8xW2pLr7aTfGhJcKdQ"
  ),
  logs_url: text("Address that receives log lines, as a path from `/`.", `/api/capture/captures/${exampleId}/logs`),
  started_at: dateTime("Time at which the capture started.")
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
  errorV2("UnsupportedMediaType", "The body does not have the content type of this path."),
  errorV2("Unprocessable", "Values are invalid. The message names the field of each.")
] as const

const stream = Schema.String.annotate({
  description: "Name of the writer: 1 to 64 letters, digits, `.`, `-` and `_`. Default: `main`.",
  examples: ["main"]
})

const logs = HttpApiEndpoint.post("logs", "/captures/:id/logs", {
  params,
  query: { stream: Schema.optionalKey(stream) },
  payload: [
    Schema.String.annotate({
      description:
        "Log lines, up to 4 MiB. The first batch of a stream starts with the header; then one event per line."
    }).pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
  ],
  success: noContent("The lines are stored. Lines whose `seq` was stored already are skipped."),
  error: [
    logErrorV2(
      "A line is malformed, the first batch of a stream has no header, or the capture has 50 streams, which is the maximum."
    ),
    invalid[0]
  ]
})
  .annotateMerge(
    about(
      "captures.appendLog",
      "Append log lines",
      "Appends lines to the log of a capture. If a line is malformed, the whole batch is refused; the response names all malformed lines, so " +
        "that you can send the batch again without them. A line has at most 10,000 values. NUL and lone surrogates become U+FFFD. A log token is " +
        "accepted, too."
    )
  )
  .middleware(CaptureToken)

const pair = HttpApiEndpoint.post("pair", "/captures/:id/pairing", {
  params,
  success: created(Pairing),
  error: errorV2(
    "TooManyRequests",
    "More than 20 codes were created in a minute. `Retry-After` contains the time to wait."
  )
})
  .annotateMerge(
    about(
      "captures.pair",
      "Create a pairing code",
      "Creates a code with which `capture.js` in another tab or subdomain joins the capture. A log token is accepted, too."
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
      "Ends the capture, and starts the work on its video. A repeated request gets the same response, even while the first one is joining the video. " +
        "The body can be omitted. Each field fills what the recording does not have yet."
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
      "Deletes the capture and its recording, and returns the use to the link. A recording that a user has changed is kept."
    )
  )
  .middleware(CaptureToken)

export class CaptureCalls extends HttpApiGroup.make("captures")
  .add(logs, pair, finish, discard)
  .middleware(CaptureLimits)
  .annotateMerge(OpenApi.annotations({ title: "Captures", description: "Calls with the token of a capture." })) {}

const redeem = HttpApiEndpoint.post("redeem", "/pairings", {
  payload: PairingInput,
  success: created(PairedLog),
  error: [
    errorV2("NotFound", "The code does not exist, was used, or has expired."),
    errorV2("Unauthenticated", "The capture has ended, or has reached its maximum number of pages."),
    invalid[0]
  ]
}).annotateMerge(
  about("pairings.redeem", "Join a capture", "Returns a token with which a page writes the log of the capture.")
)

export class Pairings extends HttpApiGroup.make("pairings")
  .add(redeem)
  .middleware(Anyone)
  .middleware(CaptureLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Pairings",
      description: "Calls with which another page joins a capture. They take no token."
    })
  ) {}
