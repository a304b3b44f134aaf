import { Forbidden } from "@tapedeck/contract"
import { problemsIn, RequestIds } from "@tapedeck/core"
import {
  BasePath,
  errorResponse,
  httpDate,
  makeProductApp,
  onFirstUse,
  type ProductApp,
  pathOf,
  versionOf,
  withCors
} from "@tapedeck/http"
import { Cause, Context, Effect, Option, type Scope } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { ControlApp } from "./control/app.ts"
import { CurrentWorld } from "./control/CurrentWorld.ts"
import { foreignHost, refuseForeign } from "./control/guard.ts"
import { badRequest, checkQueryText, json, refusalResponse } from "./control/requests.ts"
import { defaultWorldId, type Emulator } from "./Emulator.ts"
import { answerFault, wasReset } from "./faults/answerFault.ts"
import type { World, WorldServices } from "./World.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Answers any request to the emulator: of each world the product, and its control plane. */
export type EmulatorApp = Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope>

const controlOnFirstUse = onFirstUse(async () => (await import("./control/app.ts")).controlApp)

/** The same client wherever it calls from, so that the audit log is the same in process and over the network. */
const clientAddress = Option.some("127.0.0.1")

/** Built once for all worlds: each request brings its world's services along. */
export const makeEmulatorApp = (emulator: Emulator): Effect.Effect<EmulatorApp, never, Scope.Scope> =>
  Effect.zipWith(makeProductApp, controlOnFirstUse, (product, control) =>
    emulatorApp(emulator, product, Effect.flatten(control))
  )

const emulatorApp = (emulator: Emulator, product: ProductApp, control: ControlApp): EmulatorApp =>
  Effect.withFiber((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const address = addressOf(request.url)
    const world = emulator.worlds.get(address.world)
    if (world === undefined) {
      const refusal = json({ error: `No such world: ${address.world}` }, 404)
      const first = emulator.worlds.get(defaultWorldId)
      return Effect.succeed(first === undefined ? refusal : stamped(first, refusal))
    }
    const inside = request.modify({ url: address.url, remoteAddress: clientAddress })
    return isControl(address.url)
      ? answerControl(emulator, world, inside, control)
      : (hostAnswer(emulator, world, inside) ??
          faultAnswer(world, inside) ??
          answerProduct(world, address.prefix, inside, product))
  })

/** `/worlds/{id}/…` is that world's; everything else is the default one's. */
const addressOf = (url: string): { readonly world: string; readonly prefix: string; readonly url: string } => {
  if (!url.startsWith("/worlds/")) return { world: defaultWorldId, prefix: "", url }
  const [prefix, world = ""] = /^\/worlds\/([^/?#]*)/.exec(url)!
  const rest = url.slice(prefix.length)
  return { world, prefix, url: rest.startsWith("/") ? rest : `/${rest}` }
}

/** What a request's target is below its world. */
export const targetBelow = (target: string): string => addressOf(target).url

const isControl = (url: string): boolean => /^\/_emulator(?:[/?#]|$)/.test(url)

/** The world whose product a request is for; null for the control plane's, and where there is no such world. */
export const productWorldOf = (emulator: Emulator, url: string): World | null => {
  const address = addressOf(url)
  return isControl(address.url) ? null : (emulator.worlds.get(address.world) ?? null)
}

const answerProduct = (
  world: World,
  prefix: string,
  request: HttpServerRequest.HttpServerRequest,
  product: ProductApp
) =>
  Effect.updateContext(product, (context: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) => {
    const inWorld = Context.add(within(world, context), HttpServerRequest.HttpServerRequest, request)
    return prefix === "" ? inWorld : Context.add(inWorld, BasePath, prefix)
  })

/** The context with the world's services. Node's handler of a world has them inside: adding them costs as much as a small answer. */
const within = <R>(world: World, context: Context.Context<R>): Context.Context<R | WorldServices> =>
  Context.getOrUndefined(context, RequestIds) === Context.get(world.services, RequestIds)
    ? (context as Context.Context<R | WorldServices>)
    : Context.merge(context, world.services)

/** Refuses a foreign host before anything else answers, so that no page that is made to look local reads the API. */
const hostAnswer = (emulator: Emulator, world: World, request: HttpServerRequest.HttpServerRequest) => {
  const message = foreignHost(request, emulator.allowHosts)
  if (message === null) return null
  const { method, url } = request
  world.note({ kind: "request", method, path: url, status: 403, user: null, rule: "Worlds" })
  return Effect.succeed(stamped(world, errorResponse(versionOf(pathOf(url)), new Forbidden({ message }))))
}

const faultAnswer = (world: World, request: HttpServerRequest.HttpServerRequest) => {
  const answer = answerFault(world, request)
  if (answer === null) return null
  // What was reset has no answer, and so no id.
  return Effect.map(answer, (response) =>
    wasReset(request.source) ? response : stamped(world, withCors(request, world.config.cors_origins ?? [], response))
  )
}

const answerControl = (
  emulator: Emulator,
  world: World,
  request: HttpServerRequest.HttpServerRequest,
  control: ControlApp
) => {
  const foreign = refuseForeign(request, emulator.allowHosts) ?? checkQueryText(request.url)
  if (foreign !== null) return Effect.succeed(stamped(world, refusalResponse(foreign)))
  return Effect.catchCause(control, controlFailure).pipe(
    Effect.map((response) => {
      if (isWritten(request)) {
        world.note({ kind: "control", method: request.method, path: request.url, status: response.status })
      }
      return stamped(world, response)
    }),
    Effect.updateContext((context: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) =>
      context.pipe(
        Context.add(CurrentWorld, { emulator, world }),
        Context.add(HttpServerRequest.HttpServerRequest, request)
      )
    )
  )
}

/** Reads are not written, nor is a wait; moves of the clock are written as such; a snapshot or a reset puts a journal back. */
const isWritten = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  method !== "GET" && method !== "HEAD" && !/^\/_emulator\/(clock|journal|snapshot|reset)(?:[/?#]|$)/.test(url)

/** Every answer carries the world's date and an id of its own (R3). */
const stampIn = (world: World) => ({
  date: httpDate(world.now()),
  requestId: Context.get(world.services, RequestIds).next()
})

/** For the answer to what is no request, and so of no world: the default one's. */
export const stampOf = (emulator: Emulator) => {
  const world = emulator.worlds.get(defaultWorldId)
  return world === undefined ? { date: httpDate(0), requestId: "0".repeat(24) } : stampIn(world)
}

const stamped = (world: World, response: Response): Response => {
  const { date, requestId } = stampIn(world)
  return HttpServerResponse.setHeaders(response, { date, "x-request-id": requestId })
}

/** A request that no route knows, or that does not decode; anything else is a fault of ours, and stays in the log. */
const controlFailure = <E>(cause: Cause.Cause<E>): Effect.Effect<Response> => {
  // Who asked hung up: nobody is there to be answered, and nothing failed.
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const error = Option.getOrUndefined(Cause.findErrorOption(cause)) ?? Cause.squash(cause)
  if (error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound") {
    return Effect.succeed(json({ error: "No such call of the control plane" }, 404))
  }
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    return Effect.succeed(refusalResponse(badRequest(...problemsIn(error.cause.issue))))
  }
  return Effect.as(Effect.logError("a control request failed", cause), json({ error: "Internal emulator error" }, 500))
}
