import { settings } from "@tapedeck/contract"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { builtAlone } from "../builtAlone.ts"
import { allowedMethods, endpointsOf } from "../methods.ts"
import { middleware as middlewareV2 } from "../v2/middleware.ts"
import { groups } from "./groups.ts"
import { middleware } from "./middleware.ts"

const routes = HttpApiBuilder.layer(settings.Api).pipe(
  Layer.provide(groups),
  Layer.provide([middleware, middlewareV2]),
  Layer.provide(HttpServer.layerServices)
)

/** The settings API: its routes, and the methods of its paths. Contract and handlers are large; whoever starts does without. */
export const settingsApp = Effect.map(builtAlone(HttpRouter.toHttpEffect(routes)), (answer) => ({
  answer,
  allowed: allowedMethods(endpointsOf(settings.Api))
}))
