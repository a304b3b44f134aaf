// Compiles the wire schemas when they are first used: a transcript is encoded in two thirds of the time.
import "effect/schema/SchemaJITCompiler/enable"
import { signInPaths, v1, v2 } from "@tapedeck/contract"
import type {
  AccessTokens,
  AuditLog,
  RateLimiter,
  Recordings,
  RequestIds,
  ServiceConfig,
  SettingsServices,
  Users
} from "@tapedeck/core"
import { Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { builtAlone } from "./builtAlone.ts"
import { documents, publicDocuments } from "./documents.ts"
import { type ExtraRoute, extraRoutes } from "./extraRoutes.ts"
import { front, isRouteNotFound } from "./front.ts"
import { allowedMethods, endpointsOf } from "./methods.ts"
import { onFirstUse } from "./onFirstUse.ts"
import { isSettings } from "./paths.ts"
import { plainRead } from "./plainReads.ts"
import { publicPages, publicPaths } from "./publicPages.ts"
import { middleware as middlewareV1 } from "./v1/middleware.ts"
import { recordings as recordingsV1 } from "./v1/recordings.ts"
import { middleware as middlewareV2 } from "./v2/middleware.ts"
import { recordings as recordingsV2 } from "./v2/recordings.ts"
import { users } from "./v2/users.ts"

/** What a world has to provide with each request. */
export type CoreServices =
  | AccessTokens
  | AuditLog
  | SettingsServices
  | RateLimiter
  | Recordings
  | RequestIds
  | ServiceConfig
  | Users

/** Answers any request to the product: the API, its documents, and the public pages. It never fails. */
export type ProductApp = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope | CoreServices
>

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(v2.Api).pipe(Layer.provide([recordingsV2, users]), Layer.provide(middlewareV2)),
  HttpApiBuilder.layer(v1.Api).pipe(Layer.provide(recordingsV1), Layer.provide(middlewareV1)),
  documents,
  publicPages
).pipe(Layer.provide(HttpServer.layerServices))

const settingsOnFirstUse = onFirstUse(async () => (await import("./settings/app.ts")).settingsApp)

/** Builds the app once, with routes that this host alone has; what it serves is decided by the services that each request brings. */
export const makeProductAppWith = (
  extra: ReadonlyArray<ExtraRoute<CoreServices>>
): Effect.Effect<ProductApp, never, Scope.Scope> =>
  Effect.zipWith(
    builtAlone(HttpRouter.toHttpEffect(Layer.merge(routes, extraRoutes(extra)))),
    settingsOnFirstUse,
    (atStart, settings): ProductApp => {
      const readOnly = [...publicDocuments, ...publicPaths].map((path) => ({ path, methods: ["GET"] }))
      const allowed = allowedMethods([...endpointsOf(v1.Api), ...endpointsOf(v2.Api), ...readOnly, ...extra])
      // The documents and what a host adds may lie below the settings API's root: they are there from the start.
      const below = Effect.catchIf(atStart, isRouteNotFound, () => Effect.flatMap(settings, ({ answer }) => answer))
      return front({
        routes: (path) => (isSettings(path) ? below : atStart),
        direct: plainRead,
        allowed: (path) =>
          isSettings(path)
            ? Effect.map(settings, (later) => [...new Set([...allowed(path), ...later.allowed(path)])].sort())
            : Effect.succeed(allowed(path)),
        isPublic: (path) => publicDocuments.includes(path) || signInPaths.includes(path)
      })
    }
  )

/** The app as the contract has it. */
export const makeProductApp: Effect.Effect<ProductApp, never, Scope.Scope> = makeProductAppWith([])
