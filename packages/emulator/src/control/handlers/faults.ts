import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { addFault, removeFault } from "../../faults/Faults.ts"
import { ControlApi } from "../Api.ts"
import { NewFault } from "../bodies.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { bodyOf, json, refused } from "../requests.ts"

const noContent = HttpServerResponse.empty({ status: 204 })

export const faults = controlEndpoints(ControlApi.groups.faults, {
  list: ({ world }) => Effect.sync(() => json({ faults: world.environment.faults.list })),
  create: Effect.fnUntraced(function* ({ world }) {
    const { match, respond } = yield* bodyOf(NewFault)
    const { fault, faults } = addFault(world.environment.faults, match, respond)
    world.update({ faults })
    return json({ id: fault.id }, 201)
  }),
  remove: Effect.fnUntraced(function* ({ params, world }) {
    const { faults } = world.environment
    if (!faults.list.some(({ id }) => id === params.id)) return yield* refused(404, `No such fault: ${params.id}`)
    world.update({ faults: removeFault(faults, params.id) })
    return noContent
  }),
  clear: ({ world }) =>
    Effect.sync(() => {
      world.update({ faults: { ...world.environment.faults, list: [] } })
      return noContent
    })
})
