// Compiles the schemas when they are first used.
import "effect/schema/SchemaJITCompiler/enable"
import { Captures } from "@tapedeck/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { DocumentPath } from "./apiDocuments.ts"
import { capturePages } from "./capturePages.ts"
import { consoleIcon } from "./console.ts"
import { errorPage } from "./errorPage.ts"
import { mailPages } from "./mailPages.ts"
import { respond } from "./pipeline.ts"
import { publicApi } from "./publicApi.ts"
import { publicPages } from "./publicPages.ts"
import { signInLimit } from "./requestBody.ts"
import { type Endpoint, makeRootLookup, type Root, RouteTable, routeRequests, type Services } from "./routes.ts"

/** Answers any request to the product: the API, its documents, and the public pages. It never fails. */
export type ProductApp = Effect.Effect<HttpServerResponse.HttpServerResponse, never, Services>

/** All paths below `/api` require a token, unknown ones too (R1). */
const api: Root = {
  path: "/api",
  access: "token",
  version: "v2",
  rules: { 403: "Authentication 4", 404: "R2" },
  isShared: true,
  isStrict: false
}

const apiV1: Root = { ...api, path: "/api/v1", version: "v1" }

const settings: Root = {
  ...api,
  path: "/api/settings",
  access: "session",
  rules: { 400: "S1", 403: "S1", 404: "S1", 409: "S1", 422: "S1" },
  isStrict: true,
  // Contract and handlers are large: the start does without them.
  load: async () => (await import("./settings/endpoints.ts")).settingsEndpoints
}

/** Each endpoint checks its own token: a capture's, which opens nothing else. */
const capture: Root = {
  path: "/api/capture",
  access: "public",
  version: "v2",
  rules: { 404: "S2", 409: "S2" },
  isShared: true,
  isStrict: true,
  allows: (origin, { id, key }) => Captures.use(({ isAllowed }) => isAllowed(origin, { captureId: id, key })),
  load: async () => (await import("./capture/endpoints.ts")).captureEndpoints
}

const elsewhere: Root = {
  ...api,
  path: "/",
  access: "public",
  rules: { 404: "R2" },
  isShared: false,
  page: errorPage
}

/** For pages that name no icon: browsers ask for this one. */
const icon: Endpoint = { methods: ["GET"], path: "/favicon.ico", operation: null, answer: () => consoleIcon }

const roots = [api, apiV1, settings, capture, elsewhere]

/** The root of a request target of the product. Its version is the shape of errors (R2). */
export const productRootOf = makeRootLookup(roots)

/** The public documents (R1, R21). They are made of all contracts, which are loaded with the first read. */
const documents = (
  [
    "/api/v2/openapi.json",
    "/api/v1/openapi.json",
    "/api/settings/openapi.json",
    "/api/capture/openapi.json",
    "/api/docs"
  ] satisfies Array<DocumentPath>
).map(
  (path): Endpoint => ({
    methods: ["GET"],
    path,
    operation: null,
    body: signInLimit,
    answer: () =>
      Effect.flatMap(
        Effect.promise(() => import("./apiDocuments.ts")),
        ({ apiDocument }) => apiDocument(path)
      )
  })
)

/** What a host of the app (server, emulator) adds to the product. A root replaces the product's of the same path. */
export interface HostRoutes {
  readonly roots?: ReadonlyArray<Root>
  readonly endpoints?: ReadonlyArray<Endpoint>
}

/** The table of the product and its host. */
export const makeRouteTable = (host: HostRoutes = {}): RouteTable => {
  const own = host.roots ?? []
  const others = roots.filter(({ path }) => own.every((root) => root.path !== path))
  return new RouteTable(
    [...others, ...own],
    [...publicApi, ...documents, ...publicPages, ...capturePages, ...mailPages, icon, ...(host.endpoints ?? [])]
  )
}

/** The app on a table. The services that each request brings decide what it serves. */
export const makeProductApp = (table: RouteTable = makeRouteTable()): ProductApp => routeRequests(table, respond)
