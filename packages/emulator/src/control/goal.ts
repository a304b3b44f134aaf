import { durationMs } from "@tapedeck/core/input"
import { Instant, parseIso } from "@tapedeck/domain"
import { Effect, Schema } from "effect"
import type { Goal } from "../clock/move.ts"
import type { World } from "../World.ts"
import type { Advance } from "./bodies.ts"
import { badRequest, type ControlRefusal } from "./requests.ts"

const isInstant = Schema.is(Instant)
const forms = ["by", "to", "next", "until"] as const

/** The goal of an `advance`: exactly one of its forms, and not in the past. */
export const goalOf = (world: World, request: typeof Advance.Type): Effect.Effect<Goal, ControlRefusal> => {
  const given = forms.filter((form) => request[form] !== undefined)
  if (given.length !== 1) {
    const message = `give exactly one of by, to, next, until${given.length === 0 ? "" : `, not ${given.join(", ")}`}`
    return Effect.fail(badRequest({ path: given[1] ?? "", message }))
  }
  if (request.next === true) return Effect.succeed({ next: true })
  if (request.until === "idle") return Effect.succeed({ until: "idle" })
  const to = request.to === undefined ? world.now() + durationMs(request.by!) : parseIso(request.to)
  if (!isInstant(to)) {
    return Effect.fail(badRequest({ path: given[0]!, message: "is beyond the last instant, the end of the year 9999" }))
  }
  if (to < world.now()) return Effect.fail(badRequest({ path: "to", message: "must not be in the past" }))
  return Effect.succeed({ to })
}
