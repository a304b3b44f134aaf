import { Effect } from "effect"
import { makeSink, type Sink } from "../../sinks/Sinks.ts"
import type { World } from "../../world/World.ts"
import { ControlApi } from "../Api.ts"
import { NewSink, SinkChange } from "../bodies.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { bodyOf, type ControlRefusal, json, refused } from "../requests.ts"
import { sinkLogView, sinkView } from "../views.ts"

export const sinks = controlEndpoints(ControlApi.groups.sinks, {
  list: ({ world }) =>
    Effect.sync(() =>
      json({
        sinks: [...world.environment.sinks.values()].map((sink) => ({
          ...sinkView(sink),
          request_count: sink.requests.length
        }))
      })
    ),
  create: Effect.fnUntraced(function* ({ world }) {
    const { id = freeSinkId(world), kind, respond = [200] } = yield* bodyOf(NewSink)
    if (world.environment.sinks.has(id)) return yield* refused(409, `sink ${id} already exists`)
    const sink = makeSink({ id, ...(kind !== undefined && { kind }), respond })
    putSink(world, sink)
    return json(sinkView(sink), 201)
  }),
  get: ({ params, world }) => Effect.map(sinkOf(world, params.id), (sink) => json(sinkLogView(sink))),
  respond: Effect.fnUntraced(function* ({ params, world }) {
    const { respond } = yield* bodyOf(SinkChange)
    const changed = { ...(yield* sinkOf(world, params.id)), respond, used: 0 }
    putSink(world, changed)
    return json(sinkLogView(changed))
  })
})

const sinkOf = (world: World, id: string): Effect.Effect<Sink, ControlRefusal> => {
  const sink = world.environment.sinks.get(id)
  return sink === undefined ? Effect.fail(refused(404, `No such sink: ${id}`)) : Effect.succeed(sink)
}

const putSink = (world: World, sink: Sink) =>
  world.update({ sinks: new Map(world.environment.sinks).set(sink.id, sink) })

/** `sink1`, `sink2`, …: the first free id. */
const freeSinkId = (world: World): string => {
  let number = 1
  while (world.environment.sinks.has(`sink${number}`)) number++
  return `sink${number}`
}
