// Compiles the schemas when they are first used.
import "effect/schema/SchemaJITCompiler/enable"
import { Forbidden, NotFound } from "@tapedeck/contract"
import { RequestIds } from "@tapedeck/core"
import {
  AppOptions,
  type Endpoint,
  errorPage,
  errorResponse,
  httpDate,
  makeRouteTable,
  type Root,
  type RouteMatch,
  respond,
  splitTarget,
  withCors
} from "@tapedeck/http"
import { wholeProduct } from "@tapedeck/http/node"
import { Context, Effect, Option, type Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { CurrentWorld } from "../control/CurrentWorld.ts"
import { foreignHost, refuseForeign } from "../control/guard.ts"
import { checkQueryText, json, refusalResponse } from "../control/requests.ts"
import { defaultWorldId, type Emulator } from "../Emulator.ts"
import { answerFault, wasReset } from "../faults/answerFault.ts"
import { isOfConsole } from "../journal/origin.ts"
import type { World, WorldServices } from "../world/World.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Answers all requests to the emulator: the product and the control plane of each world. */
export type EmulatorApp = Effect.Effect<Response, never, Request | Scope.Scope>

const controlRoot: Root = {
  path: "/_emulator",
  access: "public",
  version: "v2",
  rules: {},
  isShared: false,
  isStrict: false,
  load: async () => (await import("../control/endpoints.ts")).controlPlane
}

/** The page of a world is below its control plane. */
const homePage: Endpoint = {
  methods: ["GET"],
  path: "/",
  operation: null,
  answer: () =>
    Effect.map(AppOptions, ({ basePath: base }) => HttpServerResponse.redirect(`${base}${controlRoot.path}/ui`))
}

const table = makeRouteTable({
  roots: [...wholeProduct.roots, controlRoot],
  endpoints: [...wholeProduct.endpoints, homePage]
})

/** The same client address in process and over the network, so that the audit log is the same. */
const clientAddress = Option.some("127.0.0.1")

/** Makes the app of all worlds. Each request provides its world's services. */
export const makeEmulatorApp = (emulator: Emulator): EmulatorApp =>
  Effect.withFiber((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const address = addressOf(request.url)
    const world = emulator.worlds.get(address.world)
    if (world === undefined) {
      const message = `No such world: ${address.world}`
      const refusal = errorPage(new NotFound({ message }), request) ?? json({ error: message }, 404)
      const first = emulator.worlds.get(defaultWorldId)
      return Effect.succeed(first === undefined ? refusal : stamped(first, refusal))
    }
    const inside = request.modify({ url: address.url, remoteAddress: clientAddress })
    return table.route(inside, (match) =>
      match.root === controlRoot
        ? answerControl(emulator, world, inside, match)
        : (hostAnswer(emulator, world, inside, match) ??
          faultAnswer(world, inside, match) ??
          answerProduct(world, address.prefix, inside, match))
    )
  })

/** `/worlds/{id}/…` belongs to that world, everything else to the default world. */
const addressOf = (url: string): { readonly world: string; readonly prefix: string; readonly url: string } => {
  if (!url.startsWith("/worlds/")) return { world: defaultWorldId, prefix: "", url }
  const [prefix, world = ""] = /^\/worlds\/([^/]*)/.exec(splitTarget(url).path)!
  const rest = url.slice(prefix.length)
  return { world, prefix, url: rest.startsWith("/") ? rest : `/${rest}` }
}

/** Returns a request's target without the path of its world. */
export const targetBelow = (target: string): string => addressOf(target).url

/** Returns the world whose product a request addresses; null for the control plane and for unknown worlds. */
export const productWorldOf = (emulator: Emulator, url: string): World | null => {
  const address = addressOf(url)
  return table.rootOf(address.url) === controlRoot ? null : (emulator.worlds.get(address.world) ?? null)
}

const answerProduct = (world: World, prefix: string, request: Request, match: RouteMatch) =>
  Effect.updateContext(respond(match), (context: Context.Context<Request | Scope.Scope>) => {
    const inWorld = Context.add(within(world, context), HttpServerRequest.HttpServerRequest, request)
    return prefix === ""
      ? inWorld
      : Context.add(inWorld, AppOptions, { ...Context.get(inWorld, AppOptions), basePath: prefix })
  })

/** The context with the world's services. Node's handler of a world contains them: adding them costs as much as a small response. */
const within = <R>(world: World, context: Context.Context<R>): Context.Context<R | Served> =>
  Context.getOrUndefined(context, RequestIds) === Context.get(world.services, RequestIds)
    ? (context as Context.Context<R | Served>)
    : Context.merge(context, world.services as Context.Context<Served>)

/** `servicesOn` adds `AppOptions`. A world's declared type omits it, because the package's types contain none of `http`. */
type Served = WorldServices | AppOptions

/** Refuses foreign hosts before anything else, so that a page whose host name leads to loopback cannot read the API. */
const hostAnswer = (emulator: Emulator, world: World, request: Request, { root: { version } }: RouteMatch) => {
  const message = foreignHost(request, emulator.allowHosts)
  if (message === null) return null
  const { method, url } = request
  world.note({ kind: "request", method, path: url, status: 403, user: null, rule: "Worlds", origin: "program" })
  return Effect.succeed(stamped(world, errorResponse(version, new Forbidden({ message }))))
}

const faultAnswer = (world: World, request: Request, match: RouteMatch) => {
  const answer = answerFault(world, request, match.root.version)
  if (answer === null) return null
  // A reset connection has no response, and so no request id.
  return Effect.map(answer, (response) =>
    wasReset(request.source)
      ? response
      : stamped(world, withCors(request, match, world.config.cors_origins ?? [], response))
  )
}

const answerControl = (
  emulator: Emulator,
  world: World,
  request: Request,
  { endpoint, params, search }: RouteMatch
) => {
  const foreign = refuseForeign(request, emulator.allowHosts) ?? checkQueryText(request.url)
  if (foreign !== null) return Effect.succeed(stamped(world, refusalResponse(foreign)))
  if (endpoint === null || endpoint.operation !== null) {
    const { method, url } = request
    if (method !== "GET" && method !== "HEAD")
      world.note({
        kind: "control",
        method,
        path: url,
        status: 404,
        origin: isOfConsole(request) ? "console" : "control"
      })
    return Effect.succeed(stamped(world, json({ error: "No such call of the control plane" }, 404)))
  }
  // The endpoint takes the world from `CurrentWorld` and uses none of the world's services: its time is wall time.
  // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off
  const answer = endpoint.answer({ request, params, search }) as Effect.Effect<Response, never, Request | Scope.Scope>
  return Effect.map(answer, (response) => stamped(world, response)).pipe(
    Effect.provideService(CurrentWorld, { emulator, world }),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request)
  )
}

/** Returns the world's date and a new request id. Every response has them. */
const stampIn = (world: World) => ({
  date: httpDate(world.now()),
  requestId: Context.get(world.services, RequestIds).next()
})

/** Returns the date and the request id for the response to a malformed request, which belongs to no world: those of the default world. */
export const stampOf = (emulator: Emulator) => {
  const world = emulator.worlds.get(defaultWorldId)
  return world === undefined ? { date: httpDate(0), requestId: "0".repeat(24) } : stampIn(world)
}

const stamped = (world: World, response: Response): Response => {
  const { date, requestId } = stampIn(world)
  return HttpServerResponse.setHeaders(response, { date, "x-request-id": requestId })
}
