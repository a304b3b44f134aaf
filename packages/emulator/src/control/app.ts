import { Context, Effect, Layer, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { uiRoutes } from "../ui/serve.ts"
import { ControlApi } from "./Api.ts"
import { CurrentWorld } from "./CurrentWorld.ts"
import { controlHandlers } from "./handlers.ts"
import { controlOpenApi } from "./openapi.ts"
import { json } from "./requests.ts"
import { baseUrlOf } from "./worldView.ts"

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(ControlApi).pipe(Layer.provide(controlHandlers)),
  HttpRouter.add(
    "GET",
    "/_emulator/openapi.json",
    CurrentWorld.use(({ emulator, world }) =>
      Effect.map(baseUrlOf(emulator, world), (baseUrl) =>
        json(controlOpenApi({ baseUrl, path: emulator.baseUrl(world, "") }))
      )
    )
  ),
  uiRoutes
).pipe(Layer.provide(HttpServer.layerServices))

/** The control plane: built once, for the worlds that requests bring along. */
export const controlApp = HttpRouter.toHttpEffect(routes).pipe(
  // As in the product: what handlers are built with would win over what a request brings.
  Effect.updateContext((context: Context.Context<Scope.Scope>) => Context.pick(Scope.Scope)(context))
)

export type ControlApp = Effect.Success<typeof controlApp>
