import { NotFound } from "@tapedeck/contract"
import { Context, Effect } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { AppOptions, defaultAppOptions } from "./AppOptions.ts"
import { type AddedRoutes, makeProductApp, makeRouteTable, type ProductApp } from "./ProductApp.ts"
import { pathBelow } from "./pipeline/target.ts"
import { errorResponse } from "./responses.ts"
import type { PublicServices } from "./routes.ts"

/** Options of `makeFetchHandler`: its services, routes, path and authentication. */
export interface FetchHandlerOptions<R = never> extends AddedRoutes<R> {
  /** The services of v2, v1 and the public pages, and those that `roots` and `endpoints` use. */
  readonly services: Context.Context<PublicServices | NoInfer<R>>
  /** The path below which everything is, such as `/tapedeck`, without a slash at its end. Default: none. */
  readonly prefix?: `/${string}`
  /**
   * Decides who the caller is, instead of the request's `Authorization` and cookie: returns the text of the access token that the
   * request is made with, or null (401). It must not read the body. It is called again while a response of server-sent events lasts.
   */
  readonly authenticate?: (request: Request) => string | null | Promise<string | null>
}

/**
 * Makes the handler of a web framework or a Worker: v2, v1, the public pages, and the roots and endpoints that are given. It always
 * answers: 404 beyond the prefix, 500 for a defect, which is logged.
 */
export const makeFetchHandler = <R = never>({
  authenticate,
  prefix,
  services,
  ...routes
}: FetchHandlerOptions<R>): ((request: Request) => Promise<Response>) => {
  if (prefix?.endsWith("/")) throw new Error(`the prefix ${prefix} must not end with a slash`)
  const app = makeProductApp(makeRouteTable(routes))
  const handle = HttpEffect.toWebHandlerWith<PublicServices | R | AppOptions, Effect.Services<typeof app>, never>(
    Context.add(services, AppOptions, {
      ...defaultAppOptions,
      basePath: prefix ?? "",
      tokenOf: authenticate === undefined ? null : tokenBy(authenticate)
    })
  )(prefix === undefined ? app : below(prefix, app))
  return (request) => handle(request)
}

const tokenBy =
  (authenticate: NonNullable<FetchHandlerOptions["authenticate"]>): AppOptions["Service"]["tokenOf"] =>
  ({ source }) =>
    Effect.promise(async () => authenticate(source as Request))

const elsewhere = errorResponse("v2", new NotFound({ message: "Not found" }))

/** The app for requests below a path, which it sees without that path. */
const below = <R>(prefix: string, app: ProductApp<R>): ProductApp<R> =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const url = pathBelow(prefix, request.url)
    if (url === undefined) return Effect.succeed(elsewhere)
    return Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })
