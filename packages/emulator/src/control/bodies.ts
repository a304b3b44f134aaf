import { duration } from "@tapedeck/core/input"
import * as Input from "@tapedeck/domain/input"
import { FaultOutcome, HelpdeskKind, Outcome, PartialWorldConfig, respondWith } from "@tapedeck/fixtures"
import { Schema } from "effect"
import { patternProblem } from "../faults/Faults.ts"
import { journalKinds, journalOrigins } from "../journal/Journal.ts"
import { deliveryStates, StartDocumentBody } from "./schemas.ts"

const idMessage = "must be 1 to 64 letters, digits, _ or -"
const id = (description: string) =>
  Input.text(description).check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: idMessage }))

const seed = Input.integer(
  "must be an integer",
  { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  "Seed of ids, tokens and secrets. Default: 1."
)

export const NewWorld = Input.object(
  {
    ...Input.optional({
      id: id("Id of the world. Default: w1, w2, …"),
      now: Input.instant("Start instant of the world. Default: 2026-01-01T00:00:00.000Z."),
      seed,
      config: PartialWorldConfig
    }),
    fixtures: Schema.optionalKey(StartDocumentBody)
  },
  "A world to create."
)

const respond = respondWith(Outcome)
const rateMessage = "must be a number above 0"
const clockMessage = 'must be {"mode": "stopped"} or {"mode": "running", "rate": number}'
const sinceMessage = "must be an integer of at least 0"

export const NewSink = Input.object(
  Input.optional({ id: id("Id of the sink. Default: sink1, sink2, …"), kind: HelpdeskKind, respond }),
  "A sink to create: a receiver inside the emulator. Without `kind`, `respond` is required; with it, the default is 200."
).check(
  Schema.makeFilter(({ kind, respond: given }) =>
    kind === undefined && given === undefined ? { path: ["respond"], issue: "is required" } : true
  )
)
export const SinkChange = Input.object({ respond }, "Change of a sink's responses from now on.")
export const FolderAddition = Input.object({ recording: Input.text("UUID of the recording.") }, "A recording to add.")

export const ClockChange = Schema.Union([
  Input.object({ mode: Schema.Literal("stopped") }, "Stops the clock."),
  Input.object(
    {
      mode: Schema.Literal("running"),
      rate: Schema.optionalKey(
        Schema.Number.annotate({
          message: rateMessage,
          description: "Virtual time per unit of wall time. Default: 1."
        }).check(Schema.isFinite({ message: rateMessage }), Schema.isGreaterThan(0, { message: rateMessage }))
      )
    },
    "Runs the clock with wall time."
  )
]).annotate({ message: clockMessage })

export const NewFork = Input.object(
  { id: Schema.optionalKey(id("Id of the new world. Default: w1, w2, …")) },
  "A fork to create."
)

export const NewSession = Input.object({ user: Input.text("E-mail address of the user.") }, "The user to sign in.")

export const AccountChange = Input.object(
  Input.optional({
    ...Input.accountFields,
    account: Input.natural("Id of the account, if there are several. Default: the first account.")
  }),
  "Changes of an account. Fields that you omit keep their value."
)

export const NewFault = Input.object(
  {
    match: Input.object(
      Input.optional({
        method: Input.text("HTTP method."),
        path: Input.text(
          "Path below the world, without query: exact, or with `*` for one segment and `**` for the rest."
        ).check(Schema.makeFilter((path: string) => patternProblem(path))),
        token: Input.text("Access token of the request.")
      }),
      "Requests to answer. A request must match all fields."
    ),
    respond: respondWith(FaultOutcome)
  },
  "A fault to create. It answers matching requests before the API does."
)

export const JournalWait = Input.object(
  {
    match: Input.record(Schema.Unknown, "Fields that an entry must have."),
    ...Input.optional({
      count: Input.integer(
        "must be an integer of at least 1",
        { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        "Number of entries to wait for. Default: 1."
      ),
      since: Input.natural("Only entries after this `seq`. Default: the entries from now on."),
      timeout_ms: Input.natural("Maximum wait in wall time, in milliseconds. Default: 5,000.")
    })
  },
  "Entries to wait for."
)

export const JournalQuery = Input.optional({
  kind: Input.oneOf(journalKinds, "Only entries of this kind."),
  since: Schema.String.annotate({ message: sinceMessage, description: "Only entries after this `seq`." }).check(
    Schema.isPattern(/^\d{1,15}$/, { message: sinceMessage })
  ),
  origin: Input.oneOf(
    journalOrigins,
    "Only requests of this origin: `program`, `console`, or `control` (calls of the control plane by a program). Entries that are not " +
      "requests are included."
  ),
  bodies: Input.oneOf(
    ["true", "false"],
    "Whether to include the bodies of the latest requests, as `request` and `response`: the first 64 KiB of each, 1 MiB together. Null " +
      "for a body that is not text or is streamed; absent for older requests, and after a snapshot was restored. Default: `false`."
  )
})

export const Advance = Input.object(
  Input.optional({
    by: duration("Duration by which the clock moves."),
    to: Input.instant("Instant to which the clock moves."),
    next: Schema.Literal(true).annotate({
      message: "must be true",
      description: "Moves the clock to the next instant at which an event is due."
    }),
    until: Schema.Literal("idle").annotate({
      message: "must be idle",
      description: "Moves the clock until no event is pending."
    }),
    max_events: Input.natural("Maximum number of events to fire. Default: 10,000.")
  }),
  "A move of the clock, with exactly one of `by`, `to`, `next`, `until`."
)

const stateNames = Object.keys(deliveryStates) as ReadonlyArray<keyof typeof deliveryStates>

export const DeliveryQuery = Input.optional({
  state: Input.oneOf(stateNames, "Only deliveries in this state."),
  automation: Input.textId("Only deliveries of this automation."),
  destination: Input.textId("Only deliveries to this audit destination."),
  recording: Input.text("Only deliveries of this recording.")
})

/** A call without parameters. */
export const NoOptions = Schema.Record(Schema.String, Schema.Never.annotate({ message: "unknown key" })).annotate({
  description: "An empty object."
})
