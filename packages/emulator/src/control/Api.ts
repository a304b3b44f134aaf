import { duration, FaultOutcome, Input, Outcome, PartialWorldConfig, respondWith } from "@tapedeck/core"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { journalKinds } from "../journal/Journal.ts"
import {
  BadRequestView,
  ClockView,
  DeliveryView,
  deliveryStates,
  ErrorView,
  JournalEntryView,
  MoveView,
  SinkLogView,
  SinkView,
  WorldView
} from "./schemas.ts"

/** Its rules are checked where it is loaded; its JSON Schema is a component of the OpenAPI document. */
const StartDocumentBody = Schema.Unknown.annotate({ identifier: "StartDocument" })

const idMessage = "must be 1 to 64 letters, digits, _ or -"
const id = (description: string) =>
  Input.text(description).check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: idMessage }))

const seed = Input.integer(
  "must be an integer",
  { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  "What ids, tokens and secrets are drawn from. Default: 1."
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
  "A world to be made."
)

const respond = respondWith(Outcome)
const rateMessage = "must be a number above 0"
const clockMessage = 'must be {"mode": "stopped"} or {"mode": "running", "rate": number}'
const sinceMessage = "must be an integer of at least 0"

export const NewSink = Input.object(
  { id: Schema.optionalKey(id("Default: sink1, sink2, …")), respond },
  "A receiver inside the emulator."
)
export const SinkChange = Input.object({ respond }, "How the sink answers from now on.")
export const FolderAddition = Input.object({ recording: Input.text("Its uuid.") }, "What is put into the folder.")

export const ClockChange = Schema.Union([
  Input.object({ mode: Schema.Literal("stopped") }, "Stop it where it is."),
  Input.object(
    {
      mode: Schema.Literal("running"),
      rate: Schema.optionalKey(
        Schema.Finite.annotate({ message: rateMessage, description: "Virtual time for each unit of wall time." }).check(
          Schema.isGreaterThan(0, { message: rateMessage })
        )
      )
    },
    "Let wall time carry it."
  )
]).annotate({ message: clockMessage })

export const NewFork = Input.object({ id: Schema.optionalKey(id("Default: w1, w2, …")) }, "The fork.")

export const NewSession = Input.object({ user: Input.text("E-mail address.") }, "Who signs in.")

export const NewFault = Input.object(
  {
    match: Input.object(
      Input.optional({
        method: Input.text("HTTP method."),
        path: Input.text("Exact, below the world, without query."),
        token: Input.text("The access token.")
      }),
      "Requests that have all of what is given."
    ),
    respond: respondWith(FaultOutcome)
  },
  "Answers to requests, before anything else does."
)

export const JournalWait = Input.object(
  {
    match: Input.record(Schema.Unknown, "Fields that an entry is to have."),
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
  "What is waited for."
)

export const JournalQuery = Input.optional({
  kind: Input.oneOf(journalKinds, "Only entries of this kind."),
  since: Schema.String.annotate({ message: sinceMessage, description: "Only entries after this `seq`." }).check(
    Schema.isPattern(/^\d{1,15}$/, { message: sinceMessage })
  )
})

export const Advance = Input.object(
  Input.optional({
    by: duration("How far."),
    to: Input.instant("To this instant."),
    next: Schema.Literal(true).annotate({ message: "must be true", description: "All that is due next." }),
    until: Schema.Literal("idle").annotate({ message: "must be idle", description: "Until nothing is pending." }),
    max_events: Input.natural("Stop before more than so many have fired. Default: 10,000.")
  }),
  "Exactly one of `by`, `to`, `next`, `until`."
)

const stateNames = Object.keys(deliveryStates) as ReadonlyArray<keyof typeof deliveryStates>

export const DeliveryQuery = Input.optional({
  state: Input.oneOf(stateNames, "Only deliveries in this state."),
  automation: Input.text("Only this automation's."),
  destination: Input.text("Only this audit destination's."),
  recording: Input.text("Only this recording's.")
})

const status = (code: number) => HttpApiSchema.status(code)
const badRequest = BadRequestView.pipe(status(400))
const notFound = ErrorView.pipe(status(404))
const conflict = ErrorView.pipe(status(409))
const describe = (summary: string) => OpenApi.annotations({ summary })

const World = HttpApiGroup.make("world").add(
  HttpApiEndpoint.get("get", "/_emulator", { success: WorldView }).annotateMerge(describe("This world")),
  HttpApiEndpoint.post("create", "/_emulator/worlds", {
    payload: NewWorld,
    success: WorldView.pipe(status(201)),
    error: [badRequest, conflict]
  }).annotateMerge(describe("Make a world (at the default world's address only)")),
  HttpApiEndpoint.delete("remove", "/_emulator", { success: HttpApiSchema.NoContent, error: conflict }).annotateMerge(
    describe("Delete this world; the default one stays")
  ),
  HttpApiEndpoint.post("reset", "/_emulator/reset", { success: WorldView, error: conflict }).annotateMerge(
    describe("Back to the start document and the start instant")
  ),
  HttpApiEndpoint.post("fork", "/_emulator/fork", {
    payload: NewFork,
    success: WorldView.pipe(status(201)),
    error: [badRequest, conflict]
  }).annotateMerge(describe("A new world in this one's present state, clock and pending work included")),
  HttpApiEndpoint.get("snapshot", "/_emulator/snapshot", { success: Schema.Unknown, error: conflict }).annotateMerge(
    describe("The whole state as one JSON document")
  ),
  HttpApiEndpoint.put("restore", "/_emulator/snapshot", {
    payload: Schema.Unknown,
    success: WorldView,
    error: [badRequest, conflict]
  }).annotateMerge(describe("Back to a snapshot, of this process or another")),
  HttpApiEndpoint.post("session", "/_emulator/sessions", {
    payload: NewSession,
    success: Schema.Struct({ token: Schema.String }).pipe(status(201)),
    error: [badRequest, notFound]
  }).annotateMerge(describe("A signed-in session of a user, for the settings API")),
  HttpApiEndpoint.post("fixtures", "/_emulator/fixtures", {
    payload: StartDocumentBody,
    success: StartDocumentBody.pipe(status(201)),
    error: badRequest
  }).annotateMerge(describe("Add what a start document describes: all of it, or none"))
)

const Folders = HttpApiGroup.make("folders").add(
  HttpApiEndpoint.post("addRecording", "/_emulator/folders/:folder/recordings", {
    params: { folder: Schema.String },
    payload: FolderAddition,
    success: [
      Schema.Struct({ deliveries: Schema.Array(Schema.String) }).pipe(status(201)),
      Schema.Struct({ deliveries: Schema.Array(Schema.String) })
    ],
    error: [badRequest, notFound]
  }).annotateMerge(describe("Put a recording into a folder; 200 when it was there already"))
)

const Clock = HttpApiGroup.make("clock").add(
  HttpApiEndpoint.get("get", "/_emulator/clock", { success: ClockView }).annotateMerge(
    describe("The clock, and all that is pending")
  ),
  HttpApiEndpoint.put("set", "/_emulator/clock", {
    payload: ClockChange,
    success: ClockView,
    error: [badRequest, conflict]
  }).annotateMerge(describe("Stop the clock, or let wall time carry it")),
  HttpApiEndpoint.post("advance", "/_emulator/clock/advance", {
    payload: Advance,
    success: MoveView,
    error: [badRequest, conflict]
  }).annotateMerge(describe("Move the clock: exactly one of by, to, next, until"))
)

const Sinks = HttpApiGroup.make("sinks").add(
  HttpApiEndpoint.post("create", "/_emulator/sinks", {
    payload: NewSink,
    success: SinkView.pipe(status(201)),
    error: [badRequest, conflict]
  }).annotateMerge(describe("Make a receiver inside the emulator")),
  HttpApiEndpoint.get("get", "/_emulator/sinks/:id", {
    params: { id: Schema.String },
    success: SinkLogView,
    error: notFound
  }).annotateMerge(describe("A sink, and what reached it")),
  HttpApiEndpoint.put("respond", "/_emulator/sinks/:id", {
    params: { id: Schema.String },
    payload: SinkChange,
    success: SinkLogView,
    error: [badRequest, notFound]
  }).annotateMerge(describe("Have a sink answer otherwise from now on"))
)

const Deliveries = HttpApiGroup.make("deliveries").add(
  HttpApiEndpoint.get("list", "/_emulator/deliveries", {
    query: DeliveryQuery,
    success: Schema.Struct({ deliveries: Schema.Array(DeliveryView) }),
    error: badRequest
  }).annotateMerge(describe("Deliveries with their attempts"))
)

const Faults = HttpApiGroup.make("faults").add(
  HttpApiEndpoint.post("create", "/_emulator/faults", {
    payload: NewFault,
    success: Schema.Struct({ id: Schema.String }).pipe(status(201)),
    error: badRequest
  }).annotateMerge(describe("Answer requests otherwise, each outcome once")),
  HttpApiEndpoint.delete("remove", "/_emulator/faults/:id", {
    params: { id: Schema.String },
    success: HttpApiSchema.NoContent,
    error: notFound
  }).annotateMerge(describe("Delete a fault")),
  HttpApiEndpoint.delete("clear", "/_emulator/faults", { success: HttpApiSchema.NoContent }).annotateMerge(
    describe("Delete all faults")
  )
)

const Journal = HttpApiGroup.make("journal").add(
  HttpApiEndpoint.get("read", "/_emulator/journal", {
    query: JournalQuery,
    success: Schema.Struct({ entries: Schema.Array(JournalEntryView), dropped: Schema.Natural }),
    error: badRequest
  }).annotateMerge(describe("What happened in this world")),
  HttpApiEndpoint.post("wait", "/_emulator/journal/wait", {
    payload: JournalWait,
    success: Schema.Struct({ matched: Schema.Array(JournalEntryView) }),
    error: [
      badRequest,
      Schema.Struct({ error: Schema.String, nearest: Schema.Array(JournalEntryView) }).pipe(status(408))
    ]
  }).annotateMerge(describe("Wait until entries have these fields"))
)

/** The control plane of one world. `/worlds/{id}` in front of these paths means that world. */
export class ControlApi extends HttpApi.make("control")
  .add(World, Folders, Clock, Sinks, Deliveries, Faults, Journal)
  .annotateMerge(
    OpenApi.annotations({
      title: "Tapedeck emulator: control plane",
      version: "1.0.0",
      description:
        "Worlds, the clock, sinks and deliveries. Every path is a world's: below /worlds/{id} for all but the default one."
    })
  ) {}
