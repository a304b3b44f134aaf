// Compiles the wire schemas when they are first used: a transcript is encoded in two thirds of the time.
import "effect/schema/SchemaJITCompiler/enable"
import { settings, v1, v2 } from "@tapedeck/contract"
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
import { Context, Effect, Layer, Scope } from "effect"
import { HttpRouter, HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { documents, publicDocuments } from "./documents.ts"
import { type ExtraRoute, extraRoutes } from "./extraRoutes.ts"
import { front } from "./front.ts"
import { allowedMethods } from "./methods.ts"
import { publicPages, publicPaths } from "./publicPages.ts"
import { groups as settingsGroups } from "./settings/groups.ts"
import { middleware as settingsMiddleware } from "./settings/middleware.ts"
import { middleware as middlewareV1 } from "./v1/middleware.ts"
import { recordings as recordingsV1 } from "./v1/recordings.ts"
import { middleware as middlewareV2 } from "./v2/middleware.ts"
import { plainList } from "./v2/plainList.ts"
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
  HttpApiBuilder.layer(settings.Api).pipe(
    Layer.provide(settingsGroups),
    Layer.provide([settingsMiddleware, middlewareV2])
  ),
  documents,
  publicPages
).pipe(Layer.provide(HttpServer.layerServices))

/** Paths are exact: two spellings of one would be two ways past a check. */
const exactPaths = { ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, caseSensitive: true }

/** Builds the app once, with routes that this host alone has; what it serves is decided by the services that each request brings. */
export const makeProductAppWith = (
  extra: ReadonlyArray<ExtraRoute<CoreServices>>
): Effect.Effect<ProductApp, never, Scope.Scope> =>
  HttpRouter.toHttpEffect(Layer.merge(routes, extraRoutes(extra))).pipe(
    // Handlers keep the context that they are built in, and prefer it to a request's: it must hold nothing of a world's.
    Effect.updateContext((context: Context.Context<Scope.Scope>) =>
      Context.add(Context.pick(Scope.Scope)(context), HttpRouter.RouterConfig, exactPaths)
    ),
    Effect.map((app) =>
      front({
        routes: app,
        direct: plainList,
        allowed: allowedMethods([...publicDocuments, ...publicPaths], extra),
        isPublic: (path) => publicDocuments.includes(path)
      })
    )
  )

/** The app as the contract has it. */
export const makeProductApp: Effect.Effect<ProductApp, never, Scope.Scope> = makeProductAppWith([])
