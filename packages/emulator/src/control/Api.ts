import { VideoFileEntry } from "@tapedeck/core/input"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AccountChange,
  Advance,
  ClockChange,
  DeliveryQuery,
  FolderAddition,
  JournalQuery,
  JournalWait,
  NewFault,
  NewFork,
  NewSession,
  NewSink,
  NewWorld,
  NoOptions,
  SinkChange
} from "./bodies.ts"
import {
  AccountView,
  BadRequestView,
  ClockView,
  DeliveryView,
  ErrorView,
  FaultView,
  JournalEntryView,
  MailView,
  MoveView,
  NewWorldView,
  SinkLogView,
  SinkSummaryView,
  SinkView,
  StartDocumentBody,
  VideoView,
  WorldView
} from "./schemas.ts"

const status = (code: number) => HttpApiSchema.status(code)

/** Refusals of every call: a foreign page or host, an unknown world. */
const anywhere = [ErrorView.pipe(status(403)), ErrorView.pipe(status(404))] as const
/** Further refusals of calls with a body or a query: invalid values, the content type. */
const withInput = [...anywhere, BadRequestView.pipe(status(400)), ErrorView.pipe(status(415))] as const
const conflict = ErrorView.pipe(status(409))
const describe = (summary: string) => OpenApi.annotations({ summary })
const describeGroup = (description: string) => OpenApi.annotations({ description })

const World = HttpApiGroup.make("world")
  .add(
    HttpApiEndpoint.get("get", "/_emulator", { success: WorldView, error: [...anywhere] }).annotateMerge(
      describe("Get this world")
    ),
    HttpApiEndpoint.get("list", "/_emulator/worlds", {
      success: Schema.Struct({ worlds: Schema.Array(Schema.String) }),
      error: [...anywhere]
    }).annotateMerge(describe("List the ids of all worlds")),
    HttpApiEndpoint.post("create", "/_emulator/worlds", {
      payload: NewWorld,
      success: NewWorldView.pipe(status(201)),
      error: [...withInput, conflict]
    }).annotateMerge(describe("Create a world (at the default world's address only)")),
    HttpApiEndpoint.delete("remove", "/_emulator", {
      success: HttpApiSchema.NoContent,
      error: [...anywhere, conflict]
    }).annotateMerge(describe("Delete this world; the default world cannot be deleted")),
    HttpApiEndpoint.post("reset", "/_emulator/reset", {
      payload: NoOptions,
      success: WorldView,
      error: [...withInput, conflict]
    }).annotateMerge(describe("Reset this world to its start document and start instant")),
    HttpApiEndpoint.post("fork", "/_emulator/fork", {
      payload: NewFork,
      success: WorldView.pipe(status(201)),
      error: [...withInput, conflict]
    }).annotateMerge(describe("Copy this world, including its clock and pending work, to a new one")),
    HttpApiEndpoint.get("snapshot", "/_emulator/snapshot", {
      success: Schema.Unknown,
      error: [...anywhere, conflict]
    }).annotateMerge(describe("Export the whole state of this world as one JSON document")),
    HttpApiEndpoint.put("restore", "/_emulator/snapshot", {
      payload: Schema.Unknown,
      success: WorldView,
      error: [...withInput, conflict]
    }).annotateMerge(describe("Restore a snapshot, of this or another process")),
    HttpApiEndpoint.patch("account", "/_emulator/account", {
      payload: AccountChange,
      success: AccountView,
      error: [...withInput]
    }).annotateMerge(describe("Change the settings of an account; writes an audit entry")),
    HttpApiEndpoint.post("session", "/_emulator/sessions", {
      payload: NewSession,
      success: Schema.Struct({ token: Schema.String }).pipe(status(201)),
      error: [...withInput]
    }).annotateMerge(describe("Sign a user in, for the settings API")),
    HttpApiEndpoint.post("fixtures", "/_emulator/fixtures", {
      payload: StartDocumentBody,
      success: StartDocumentBody.pipe(status(201)),
      error: [...withInput]
    }).annotateMerge(describe("Add the contents of a start document: all of them, or none"))
  )
  .annotateMerge(describeGroup("Create, reset, copy, save and fill worlds."))

const Folders = HttpApiGroup.make("folders")
  .add(
    HttpApiEndpoint.post("addRecording", "/_emulator/folders/:folder/recordings", {
      params: { folder: Schema.String },
      payload: FolderAddition,
      success: [
        Schema.Struct({ deliveries: Schema.Array(Schema.String) }).pipe(status(201)),
        Schema.Struct({ deliveries: Schema.Array(Schema.String) })
      ],
      error: [...withInput]
    }).annotateMerge(describe("Add a recording to a folder; 200 if it is already there"))
  )
  .annotateMerge(describeGroup("Adding a recording to a folder fires the folder's automations."))

const video = "/_emulator/recordings/:uuid/video/:version"
const videoParams = {
  uuid: Schema.String,
  version: Schema.String.annotate({ description: "Version of the file: `original`, `processed` or `edited`." })
}

const Recordings = HttpApiGroup.make("recordings")
  .add(
    HttpApiEndpoint.put("putVideo", video, {
      params: videoParams,
      payload: VideoFileEntry,
      success: VideoView,
      error: [...withInput]
    }).annotateMerge(
      describe(
        "Set a file of a recording, without an audit entry. `path` is relative to the fixtures file, or to the working " +
          "directory; over HTTP it must be inside that folder"
      )
    ),
    HttpApiEndpoint.delete("removeVideo", video, {
      params: videoParams,
      success: VideoView,
      error: [...anywhere]
    }).annotateMerge(describe("Remove a file of a recording, without an audit entry"))
  )
  .annotateMerge(describeGroup("Files of recordings."))

const Clock = HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("get", "/_emulator/clock", { success: ClockView, error: [...anywhere] }).annotateMerge(
      describe("Get the clock and everything that is pending")
    ),
    HttpApiEndpoint.put("set", "/_emulator/clock", {
      payload: ClockChange,
      success: ClockView,
      error: [...withInput, conflict]
    }).annotateMerge(describe("Stop the clock, or run it with wall time")),
    HttpApiEndpoint.post("advance", "/_emulator/clock/advance", {
      payload: Advance,
      success: MoveView,
      error: [...withInput, conflict]
    }).annotateMerge(describe("Advance the clock: exactly one of by, to, next, until"))
  )
  .annotateMerge(describeGroup("The virtual clock and its pending work."))

const Sinks = HttpApiGroup.make("sinks")
  .add(
    HttpApiEndpoint.get("list", "/_emulator/sinks", {
      success: Schema.Struct({ sinks: Schema.Array(SinkSummaryView) }),
      error: [...anywhere]
    }).annotateMerge(describe("List all sinks, each with its number of requests")),
    HttpApiEndpoint.post("create", "/_emulator/sinks", {
      payload: NewSink,
      success: SinkView.pipe(status(201)),
      error: [...withInput, conflict]
    }).annotateMerge(describe("Create a receiver inside the emulator")),
    HttpApiEndpoint.get("get", "/_emulator/sinks/:id", {
      params: { id: Schema.String },
      success: SinkLogView,
      error: [...anywhere]
    }).annotateMerge(describe("Get a sink and its requests")),
    HttpApiEndpoint.put("respond", "/_emulator/sinks/:id", {
      params: { id: Schema.String },
      payload: SinkChange,
      success: SinkLogView,
      error: [...withInput]
    }).annotateMerge(describe("Change how a sink responds from now on"))
  )
  .annotateMerge(describeGroup("Receivers inside the emulator."))

const Deliveries = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/_emulator/deliveries", {
      query: DeliveryQuery,
      success: Schema.Struct({ deliveries: Schema.Array(DeliveryView) }),
      error: [...withInput]
    }).annotateMerge(describe("List deliveries with their attempts"))
  )
  .annotateMerge(describeGroup("Deliveries with their attempts."))

const Faults = HttpApiGroup.make("faults")
  .add(
    HttpApiEndpoint.get("list", "/_emulator/faults", {
      success: Schema.Struct({ faults: Schema.Array(FaultView) }),
      error: [...anywhere]
    }).annotateMerge(describe("List faults that are not used up, oldest first")),
    HttpApiEndpoint.post("create", "/_emulator/faults", {
      payload: NewFault,
      success: Schema.Struct({ id: Schema.String }).pipe(status(201)),
      error: [...withInput]
    }).annotateMerge(describe("Inject a fault: other responses to API requests, each once")),
    HttpApiEndpoint.delete("remove", "/_emulator/faults/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: [...anywhere]
    }).annotateMerge(describe("Delete a fault")),
    HttpApiEndpoint.delete("clear", "/_emulator/faults", {
      success: HttpApiSchema.NoContent,
      error: [...anywhere]
    }).annotateMerge(describe("Delete all faults"))
  )
  .annotateMerge(describeGroup("Responses that a test injects into the API."))

const Journal = HttpApiGroup.make("journal")
  .add(
    HttpApiEndpoint.get("read", "/_emulator/journal", {
      query: JournalQuery,
      success: Schema.Struct({ entries: Schema.Array(JournalEntryView), dropped: Schema.Natural }),
      error: [...withInput]
    }).annotateMerge(describe("List the journal of this world")),
    HttpApiEndpoint.post("wait", "/_emulator/journal/wait", {
      payload: JournalWait,
      success: Schema.Struct({ matched: Schema.Array(JournalEntryView) }),
      error: [
        ...withInput,
        Schema.Struct({ error: Schema.String, nearest: Schema.Array(JournalEntryView) }).pipe(status(408))
      ]
    }).annotateMerge(describe("Wait for entries with these fields"))
  )
  .annotateMerge(describeGroup("The journal of a world: its requests, attempts and moves of the clock, in order."))

const Mails = HttpApiGroup.make("mails")
  .add(
    HttpApiEndpoint.get("list", "/_emulator/mails", {
      success: Schema.Struct({ mails: Schema.Array(MailView) }),
      error: [...anywhere]
    }).annotateMerge(
      describe(
        "List the newest 1,000 mails of this world, oldest first. Those that are not sent yet are as they would be sent now"
      )
    )
  )
  .annotateMerge(describeGroup("Mails to users. None leaves the emulator."))

/** The control plane of one world. A prefix `/worlds/{id}` selects the world. */
export class ControlApi extends HttpApi.make("control")
  .add(World, Folders, Recordings, Clock, Sinks, Deliveries, Mails, Faults, Journal)
  .annotateMerge(
    OpenApi.annotations({
      title: "Tapedeck emulator: control plane",
      version: "1.0.0",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Worlds, the clock, sinks and deliveries. Each path belongs to a world: to the default world, or with the prefix /worlds/{id} to another one."
    })
  ) {}
