import { duration } from "@tapedeck/core/input"
import { Sharing } from "@tapedeck/domain"
import * as Input from "@tapedeck/domain/input"
import { FaultOutcome, Outcome, PartialWorldConfig, respondWith } from "@tapedeck/fixtures"
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
      id: id("Default: w1, w2, …"),
      now: Input.instant("The start instant. Default: 2026-01-01T00:00:00.000Z."),
      seed,
      config: PartialWorldConfig
    }),
    fixtures: Schema.optionalKey(StartDocumentBody)
  },
  "The new world."
)

const respond = respondWith(Outcome)
const rateMessage = "must be a number above 0"
const clockMessage = 'must be {"mode": "stopped"} or {"mode": "running", "rate": number}'
const sinceMessage = "must be an integer of at least 0"

export const NewSink = Input.object(
  { id: Schema.optionalKey(id("Default: sink1, sink2, …")), respond },
  "A receiver inside the emulator."
)
export const SinkChange = Input.object({ respond }, "How the sink responds from now on.")
export const FolderAddition = Input.object({ recording: Input.text("Its uuid.") }, "The recording to add.")

export const ClockChange = Schema.Union([
  Input.object({ mode: Schema.Literal("stopped") }, "Stop the clock."),
  Input.object(
    {
      mode: Schema.Literal("running"),
      rate: Schema.optionalKey(
        Schema.Number.annotate({ message: rateMessage, description: "Virtual time for each unit of wall time." }).check(
          Schema.isFinite({ message: rateMessage }),
          Schema.isGreaterThan(0, { message: rateMessage })
        )
      )
    },
    "Let the clock run with wall time."
  )
]).annotate({ message: clockMessage })

export const NewFork = Input.object({ id: Schema.optionalKey(id("Default: w1, w2, …")) }, "The fork.")

export const NewSession = Input.object({ user: Input.text("E-mail address.") }, "The user that signs in.")

export const AccountChange = Input.object(
  Input.optional({
    name: Input.label("The new label."),
    api_access: Input.flag("Whether access tokens of the account may be used; sessions always may."),
    sharing: Input.oneOf(Sharing.literals, "Who may open new recordings."),
    account: Input.natural("The account's id, if there are several. Default: the first.")
  }),
  "What to change of an account."
)

export const NewFault = Input.object(
  {
    match: Input.object(
      Input.optional({
        method: Input.text("HTTP method."),
        path: Input.text(
          "Path below the world, without query: exact, or with `*` for one segment and `**` for the rest."
        ).check(Schema.makeFilter((path: string) => patternProblem(path))),
        token: Input.text("The access token.")
      }),
      "Requests that match all given fields."
    ),
    respond: respondWith(FaultOutcome)
  },
  "A fault: answers matching requests before the API does."
)

export const JournalWait = Input.object(
  {
    match: Input.record(Schema.Unknown, "Fields that an entry must have."),
    ...Input.optional({
      count: Input.integer(
        "must be an integer of at least 1",
        { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        "Default: 1."
      ),
      since: Input.natural("Only entries after this `seq`. Default: those from now on."),
      timeout_ms: Input.natural("Wall time. Default: 5,000.")
    })
  },
  "The entries to wait for."
)

export const JournalQuery = Input.optional({
  kind: Input.oneOf(journalKinds, "Only entries of this kind."),
  since: Schema.String.annotate({ message: sinceMessage, description: "Only entries after this `seq`." }).check(
    Schema.isPattern(/^\d{1,15}$/, { message: sinceMessage })
  ),
  origin: Input.oneOf(
    journalOrigins,
    "Only requests of this origin, with the entries that are no requests: `program`, `console`, or `control` (a program's " +
      "calls of the control plane)."
  ),
  bodies: Input.oneOf(
    ["true", "false"],
    "With the bodies of the latest requests, as `request` and `response`: the first 64 KiB of each, 1 MiB together. Null for " +
      "what is not text or is sent as it is read; absent for older requests, and after a snapshot was restored."
  )
})

export const Advance = Input.object(
  Input.optional({
    by: duration("By this duration."),
    to: Input.instant("To this instant."),
    next: Schema.Literal(true).annotate({
      message: "must be true",
      description: "To the next instant at which something is due."
    }),
    until: Schema.Literal("idle").annotate({ message: "must be idle", description: "Until nothing is pending." }),
    max_events: Input.natural("Stop before more than so many have fired. Default: 10,000.")
  }),
  "Exactly one of `by`, `to`, `next`, `until`."
)

const stateNames = Object.keys(deliveryStates) as ReadonlyArray<keyof typeof deliveryStates>

export const DeliveryQuery = Input.optional({
  state: Input.oneOf(stateNames, "Only deliveries in this state."),
  automation: Input.textId("Only this automation's."),
  destination: Input.textId("Only this audit destination's."),
  recording: Input.text("Only this recording's.")
})

/** A call without parameters. */
export const NoOptions = Schema.Record(Schema.String, Schema.Never.annotate({ message: "unknown key" })).annotate({
  description: "Nothing."
})
