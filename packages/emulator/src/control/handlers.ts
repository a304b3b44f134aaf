import { Folders, Store } from "@tapedeck/core"
import { AutomationId, DestinationId, FolderId, parseRecordingUuid } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { move, whileStill } from "../clock/move.ts"
import { addFixtures, defaultWorldId } from "../Emulator.ts"
import { makeSink, type Sink } from "../sinks/Sinks.ts"
import type { World } from "../World.ts"
import { Advance, ControlApi, FolderAddition, NewSink, SinkChange } from "./Api.ts"
import { CurrentWorld } from "./CurrentWorld.ts"
import { goalOf } from "./goal.ts"
import { bodyOf, type ControlRefusal, json, jsonBody, refusalResponse, refused } from "./requests.ts"
import { deliveryStates } from "./schemas.ts"
import { clockView, deliveryView, moveView, sinkLogView, sinkView } from "./views.ts"
import { worldView } from "./worldView.ts"

type Answer = HttpServerResponse.HttpServerResponse

/** Runs a handler on the request's world, and gives its refusal as the answer. */
const onWorld = <R>(
  handler: (current: CurrentWorld["Service"]) => Effect.Effect<Answer, ControlRefusal, R>
): Effect.Effect<Answer, never, R | CurrentWorld> =>
  CurrentWorld.use(handler).pipe(Effect.catch((refusal) => Effect.succeed(refusalResponse(refusal))))

const conflict = (error: { readonly message: string }) => refused(409, error.message)

const world = HttpApiBuilder.group(ControlApi, "world", (handlers) =>
  handlers
    .handleRaw("get", () =>
      onWorld(({ emulator, world }) => Effect.map(worldView(emulator, world), (view) => json(view)))
    )
    .handleRaw("create", () =>
      onWorld(
        Effect.fnUntraced(function* ({ emulator, world }) {
          if (world.id !== defaultWorldId) return yield* refused(404, "Worlds are made at /_emulator/worlds")
          const created = yield* emulator.create(yield* jsonBody)
          return json({ ...(yield* worldView(emulator, created.world)), fixtures: created.made }, 201)
        })
      )
    )
    .handleRaw("remove", () =>
      onWorld(({ emulator, world }) =>
        Effect.sync(() => {
          if (world.id === defaultWorldId) return refusalResponse(refused(409, "The default world stays"))
          emulator.worlds.delete(world.id)
          return HttpServerResponse.empty({ status: 204 })
        })
      )
    )
    .handleRaw("reset", () =>
      onWorld(({ emulator, world }) =>
        whileStill(
          world,
          Effect.sync(() => world.reset())
        ).pipe(
          Effect.mapError(conflict),
          Effect.andThen(worldView(emulator, world)),
          Effect.map((view) => json(view))
        )
      )
    )
    .handleRaw("fixtures", () =>
      onWorld(({ world }) =>
        Effect.map(
          Effect.flatMap(jsonBody, (document) => addFixtures(world, document)),
          (made) => json(made, 201)
        )
      )
    )
)

const folders = HttpApiBuilder.group(ControlApi, "folders", (handlers) =>
  handlers.handleRaw("addRecording", ({ params }) =>
    onWorld(
      Effect.fnUntraced(function* ({ world }) {
        const { recording } = yield* bodyOf(FolderAddition)
        const folders = Context.get(world.services, Folders)
        const added = yield* world
          .run(folders.addRecording(FolderId.make(params.folder), recording))
          .pipe(Effect.mapError((error) => refused(404, error.message)))
        return json({ deliveries: added.deliveries }, added.moved ? 201 : 200)
      })
    )
  )
)

const clock = HttpApiBuilder.group(ControlApi, "clock", (handlers) =>
  handlers
    .handleRaw("get", () => onWorld(({ world }) => Effect.sync(() => json(clockView(world)))))
    .handleRaw("advance", () =>
      onWorld(
        Effect.fnUntraced(function* ({ world }) {
          const request = yield* bodyOf(Advance)
          const goal = yield* goalOf(world, request)
          const moved = yield* Effect.mapError(move(world, goal, request.max_events), conflict)
          return json(moveView(world, moved))
        })
      )
    )
)

const sinkOf = (world: World, id: string): Effect.Effect<Sink, ControlRefusal> => {
  const sink = world.sinks.get(id)
  return sink === undefined ? Effect.fail(refused(404, `No such sink: ${id}`)) : Effect.succeed(sink)
}

const putSink = (world: World, sink: Sink) => {
  world.sinks = new Map(world.sinks).set(sink.id, sink)
}

/** `sink1`, `sink2`, …: the first that is free. */
const freeSinkId = (world: World): string => {
  let number = 1
  while (world.sinks.has(`sink${number}`)) number++
  return `sink${number}`
}

const sinks = HttpApiBuilder.group(ControlApi, "sinks", (handlers) =>
  handlers
    .handleRaw("create", () =>
      onWorld(
        Effect.fnUntraced(function* ({ world }) {
          const { id = freeSinkId(world), respond } = yield* bodyOf(NewSink)
          if (world.sinks.has(id)) return yield* refused(409, `sink ${id} exists already`)
          const sink = makeSink(id, respond)
          putSink(world, sink)
          return json(sinkView(sink), 201)
        })
      )
    )
    .handleRaw("get", ({ params }) =>
      onWorld(({ world }) => Effect.map(sinkOf(world, params.id), (sink) => json(sinkLogView(sink))))
    )
    .handleRaw("respond", ({ params }) =>
      onWorld(
        Effect.fnUntraced(function* ({ world }) {
          yield* sinkOf(world, params.id)
          const { respond } = yield* bodyOf(SinkChange)
          const changed = { ...(yield* sinkOf(world, params.id)), respond, used: 0 }
          putSink(world, changed)
          return json(sinkLogView(changed))
        })
      )
    )
)

const deliveries = HttpApiBuilder.group(ControlApi, "deliveries", (handlers) =>
  handlers.handleRaw("list", ({ query }) =>
    onWorld(
      Effect.fnUntraced(function* ({ world }) {
        const { automation, destination, recording, state } = query
        const uuid = recording === undefined ? undefined : parseRecordingUuid(recording)
        if (recording !== undefined && uuid === undefined) return json({ deliveries: [] })
        const found = yield* Context.get(world.services, Store).deliveries.list({
          ...(state !== undefined && { state: deliveryStates[state] }),
          ...(automation !== undefined && { automationId: AutomationId.make(automation) }),
          ...(destination !== undefined && { destinationId: DestinationId.make(destination) }),
          ...(uuid !== undefined && { recordingUuid: uuid })
        })
        return json({ deliveries: found.map(deliveryView) })
      })
    )
  )
)

/** The control plane's handlers. The world comes with each request. */
export const controlHandlers = Layer.mergeAll(world, folders, clock, sinks, deliveries)
