import { problemsIn } from "@tapedeck/core/input"
import { type Asked, type ContractGroup, contractQuery, type Endpoint } from "@tapedeck/http"
import { Cause, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentWorld, type InWorld } from "./CurrentWorld.ts"
import { badRequest, type ControlRefusal, json, refusalResponse } from "./requests.ts"

type Response = HttpServerResponse.HttpServerResponse

type Handlers<Endpoints extends ContractGroup> = {
  readonly [Name in keyof Endpoints]: (
    asked: InWorld &
      Omit<Asked, "params"> & {
        readonly params: Endpoints[Name]["~Params"]["Type"]
        readonly query: Endpoints[Name]["~Query"]["Type"]
      }
  ) => Effect.Effect<Response, ControlRefusal, HttpServerRequest.HttpServerRequest>
}

/**
 * Endpoints of a group of the control plane. What is written is in the journal; `unnoted` are calls that write their own
 * entry, wait, or put a journal back.
 */
export const controlEndpoints = <const Endpoints extends ContractGroup>(
  group: { readonly endpoints: Endpoints },
  handlers: Handlers<Endpoints>,
  unnoted: ReadonlyArray<keyof Endpoints> = []
): ReadonlyArray<Endpoint> =>
  Object.entries(handlers).map(([name, handler]): Endpoint => {
    const contract = group.endpoints[name] as unknown as HttpApiEndpoint.Top
    const decode = contractQuery(contract, (issue) => badRequest(...problemsIn(issue)))
    const isNoted = contract.method !== "GET" && !unnoted.includes(name)
    return controlEndpoint(contract.method, contract.path as Endpoint["path"], {
      isNoted,
      answer: (asked) => Effect.flatMap(decode(asked.search), (query) => handler({ ...asked, query } as never))
    })
  })

interface Call {
  readonly isNoted: boolean
  readonly answer: (
    asked: Asked & InWorld
  ) => Effect.Effect<Response, ControlRefusal, HttpServerRequest.HttpServerRequest>
}

/** An endpoint of the control plane; the world comes with each request. It answers its refusals and defects itself. */
export const controlEndpoint = (method: string, path: Endpoint["path"], { answer, isNoted }: Call): Endpoint => ({
  methods: [method],
  path,
  operation: null,
  answer: (asked) =>
    Effect.flatMap(CurrentWorld, ({ emulator, world }) =>
      Effect.interruptible(answer({ ...asked, emulator, world })).pipe(
        Effect.catch((refusal) => Effect.succeed(refusalResponse(refusal))),
        Effect.catchCause(failed),
        Effect.tap(({ status }) =>
          Effect.sync(() => {
            if (isNoted) world.note({ kind: "control", method: asked.request.method, path: asked.request.url, status })
          })
        )
      )
    )
})

/** A fault of ours, which stays in the log. */
const failed = (cause: Cause.Cause<never>): Effect.Effect<Response> =>
  // Who asked hung up: nobody is there to be answered, and nothing failed.
  Cause.hasInterruptsOnly(cause)
    ? Effect.failCause(cause)
    : Effect.as(Effect.logError("a control request failed", cause), json({ error: "Internal emulator error" }, 500))
