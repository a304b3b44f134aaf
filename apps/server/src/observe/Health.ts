import { type StoreParts, storeOf } from "@tapedeck/core"
import type { Endpoint } from "@tapedeck/http"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

/** `store`: the store does not respond in time. `storage_full`: it has no space for writes; reads work. */
export type Readiness = "starting" | "ready" | "stopping" | "storage_full" | "store"

/** Maximum time for the store's response, in milliseconds. */
const storeMs = 2_000

/** Readiness of this process for requests, for load balancers, containers and operators. */
export interface Health {
  readonly readiness: Effect.Effect<Readiness>
  /** Called when the server listens. Migrations have run by then. */
  readonly started: Effect.Effect<void>
  readonly stopping: Effect.Effect<void>
}

export const makeHealth: Effect.Effect<Health, never, StoreParts<"agenda" | "space">> = Effect.map(
  storeOf("agenda", "space"),
  ({ agenda, space }) => {
    let phase: "starting" | "ready" | "stopping" = "starting"
    const enter = (next: typeof phase) =>
      Effect.sync(() => {
        phase = next
      })
    const storeReadiness = agenda.next([]).pipe(
      Effect.andThen(space.isFull),
      Effect.map((isFull): Readiness => (isFull ? "storage_full" : "ready")),
      Effect.timeoutOrElse({ duration: storeMs, orElse: () => Effect.succeed<Readiness>("store") }),
      Effect.catchCause((cause) => Effect.as(Effect.logError("store does not respond", cause), "store" as const))
    )
    return {
      readiness: Effect.suspend(() => (phase === "ready" ? storeReadiness : Effect.succeed(phase))),
      started: enter("ready"),
      stopping: enter("stopping")
    }
  }
)

const status = (text: string, code: number) =>
  HttpServerResponse.jsonUnsafe({ status: text }, { status: code, headers: { "cache-control": "no-store" } })

/** `/healthz` (the process responds) and `/readyz` (it should get requests). They need no token. */
export const probes = ({ readiness }: Health) => [
  { ...open, path: "/healthz" as const, answer: () => Effect.succeed(status("ok", 200)) },
  {
    ...open,
    path: "/readyz" as const,
    answer: () =>
      Effect.map(readiness, (found) => status(found, found === "ready" || found === "storage_full" ? 200 : 503))
  }
]

const open = { methods: ["GET"], operation: null } satisfies Partial<Endpoint>
