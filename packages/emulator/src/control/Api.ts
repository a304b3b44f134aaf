import { duration, Input, Outcome, PartialWorldConfig, respondWith } from "@tapedeck/core"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  BadRequestView,
  ClockView,
  DeliveryView,
  deliveryStates,
  ErrorView,
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

export const NewSink = Input.object(
  { id: Schema.optionalKey(id("Default: sink1, sink2, …")), respond },
  "A receiver inside the emulator."
)
export const SinkChange = Input.object({ respond }, "How the sink answers from now on.")
export const FolderAddition = Input.object({ recording: Input.text("Its uuid.") }, "What is put into the folder.")

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

/** The control plane of one world. `/worlds/{id}` in front of these paths means that world. */
export class ControlApi extends HttpApi.make("control")
  .add(World, Folders, Clock, Sinks, Deliveries)
  .annotateMerge(
    OpenApi.annotations({
      title: "Tapedeck emulator: control plane",
      version: "1.0.0",
      description:
        "Worlds, the clock, sinks and deliveries. Every path is a world's: below /worlds/{id} for all but the default one."
    })
  ) {}
