import { problemsIn } from "@tapedeck/domain/input"
import { type ContractGroup, contractQuery, type Endpoint, type EndpointRequest } from "@tapedeck/http"
import { Cause, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { isOfConsole } from "../journal/origin.ts"
import { CurrentWorld, type InWorld } from "./CurrentWorld.ts"
import { badRequest, type ControlRefusal, json, refusalResponse } from "./requests.ts"

type Response = HttpServerResponse.HttpServerResponse

type Handlers<Endpoints extends ContractGroup> = {
  readonly [Name in keyof Endpoints]: (
    input: InWorld &
      Omit<EndpointRequest, "params"> & {
        readonly params: Endpoints[Name]["~Params"]["Type"]
        readonly query: Endpoints[Name]["~Query"]["Type"]
      }
  ) => Effect.Effect<Response, ControlRefusal, HttpServerRequest.HttpServerRequest>
}

/**
 * Returns the endpoints of a group of the control plane. Calls other than GET are journal entries, except `unnoted` ones, which write their
 * own entry, wait, or replace the journal.
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
      answer: (input) => Effect.flatMap(decode(input.search), (query) => handler({ ...input, query } as never))
    })
  })

interface Call {
  readonly isNoted: boolean
  readonly answer: (
    input: EndpointRequest & InWorld
  ) => Effect.Effect<Response, ControlRefusal, HttpServerRequest.HttpServerRequest>
}

/** Returns an endpoint of the control plane. Each request provides the world. The endpoint handles its own refusals and defects. */
export const controlEndpoint = (method: string, path: Endpoint["path"], { answer, isNoted }: Call): Endpoint => ({
  methods: [method],
  path,
  operation: null,
  answer: (input) =>
    Effect.flatMap(CurrentWorld, ({ emulator, world }) =>
      Effect.interruptible(answer({ ...input, emulator, world })).pipe(
        Effect.catch((refusal) => Effect.succeed(refusalResponse(refusal))),
        Effect.catchCause(failed),
        Effect.tap(({ status }) =>
          Effect.sync(() => {
            if (!isNoted) return
            const { request } = input
            const origin = isOfConsole(request) ? "console" : "control"
            world.note({ kind: "control", method: request.method, path: request.url, status, origin })
          })
        )
      )
    )
})

/** Returns the response to a defect, whose cause only the log has. */
const failed = (cause: Cause.Cause<never>): Effect.Effect<Response> =>
  // The client closed the connection; nothing failed.
  Cause.hasInterruptsOnly(cause)
    ? Effect.failCause(cause)
    : Effect.as(Effect.logError("a control request failed", cause), json({ error: "Internal emulator error" }, 500))
