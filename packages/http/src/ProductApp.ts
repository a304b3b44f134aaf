import { type CaptureServices, CaptureStarts, type ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { DocumentPath } from "./pages/apiDocuments.ts"
import { errorPage } from "./pages/errorPage.ts"
import { mailPages } from "./pages/mailPages.ts"
import { publicPages } from "./pages/publicPages.ts"
import { respond } from "./pipeline/pipeline.ts"
import { signInLimit } from "./pipeline/requestBody.ts"
import { publicApi } from "./recordings/publicApi.ts"
import {
  type CoreServices,
  type Endpoint,
  makeRootLookup,
  type PublicServices,
  type Root,
  RouteTable,
  routeRequests,
  type Services
} from "./routes.ts"

/** Answers any request to a route table. It never fails. */
export type ProductApp<R = PublicServices> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  Services<PublicServices | R>
>

/** All paths below `/api` require a token, unknown ones too (R1). */
const api: Root<PublicServices> = {
  path: "/api",
  access: "token",
  version: "v2",
  rules: { 403: "Authentication 4", 404: "R2" },
  isShared: true,
  isStrict: false
}

const apiV1: Root<PublicServices> = { ...api, path: "/api/v1", version: "v1" }

// Optional routes are literals without spreads, or calls that are marked as pure: a bundler removes those that are not used.

/** The settings API. It is loaded with the first request for it. */
export const settingsApi: Root = {
  path: "/api/settings",
  access: "session",
  version: "v2",
  rules: { 400: "S1", 403: "S1", 404: "S1", 409: "S1", 422: "S1" },
  isShared: true,
  isStrict: true,
  // Contract and handlers are large: the start does without them.
  load: async () => (await import("./settings/endpoints.ts")).settingsEndpoints
}

/** The capture API. Each endpoint checks its own token: a capture's, which opens nothing else. */
export const captureApi: Root<CaptureServices | ServiceConfig> = {
  path: "/api/capture",
  access: "public",
  scheme: "Capture",
  version: "v2",
  rules: { 404: "S2", 409: "S2" },
  isShared: true,
  isStrict: true,
  allows: (origin, { id, key }) => CaptureStarts.use(({ isAllowed }) => isAllowed(origin, { captureId: id, key })),
  load: async () => (await import("./capture/endpoints.ts")).captureEndpoints
}

const elsewhere: Root<PublicServices> = {
  ...api,
  path: "/",
  access: "public",
  rules: { 404: "R2" },
  isShared: false,
  page: errorPage
}

const roots = [api, apiV1, elsewhere]

/** The root of a request target below which the product has its own errors. Its version is their shape (R2). */
export const productRootOf = /* @__PURE__ */ makeRootLookup(roots)

const document = (path: DocumentPath): Endpoint<PublicServices> => ({
  methods: ["GET"],
  path,
  operation: null,
  body: signInLimit,
  answer: () =>
    Effect.flatMap(
      Effect.promise(() => import("./pages/apiDocuments.ts")),
      ({ apiDocument }) => apiDocument(path)
    )
})

/** The OpenAPI documents of all APIs, and their page (R1, R21). They are made of all contracts, which are loaded with the first read. */
export const apiDocuments: ReadonlyArray<Endpoint<PublicServices>> = [
  /* @__PURE__ */ document("/api/v2/openapi.json"),
  /* @__PURE__ */ document("/api/v1/openapi.json"),
  /* @__PURE__ */ document("/api/settings/openapi.json"),
  /* @__PURE__ */ document("/api/capture/openapi.json"),
  /* @__PURE__ */ document("/api/docs")
]

/** Routes in addition to v2, v1 and the public pages. A root replaces one with the same path. */
export interface AddedRoutes<R = CoreServices> {
  readonly roots?: ReadonlyArray<Root<R>>
  readonly endpoints?: ReadonlyArray<Endpoint<R>>
}

/** The table of v2, v1, the public pages, and the added routes. */
export const makeRouteTable = <R = never>(added: AddedRoutes<R> = {}): RouteTable<PublicServices | R> => {
  const own = added.roots ?? []
  const others = roots.filter(({ path }) => own.every((root) => root.path !== path))
  return new RouteTable<PublicServices | R>(
    [...others, ...own],
    [...publicApi, ...publicPages, ...mailPages, ...(added.endpoints ?? [])]
  )
}

/** The app on a table. The services that each request brings decide what it serves. */
export const makeProductApp = <R>(table: RouteTable<R>): ProductApp<R> => routeRequests(table, respond)
