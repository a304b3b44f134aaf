import { apiDocs, openApiSettings, openApiV1, openApiV2 } from "@tapedeck/contract"
import { ServiceConfig } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { BasePath } from "./BasePath.ts"
import { htmlResponse } from "./html.ts"
import { jsonText } from "./responses.ts"

/** What anybody may read of the API (R1, R21). */
export const publicDocuments: ReadonlyArray<string> = [
  "/api/v2/openapi.json",
  "/api/v1/openapi.json",
  "/api/settings/openapi.json",
  "/api/docs"
]

/** The documents, with the knobs of the world that is asked. */
const openApi = Effect.gen(function* () {
  const { vendor, pageSize } = yield* ServiceConfig
  const base = yield* BasePath
  return {
    v2: openApiV2({ vendor, pageSize, serverUrl: `${base}/api/v2` }),
    v1: openApiV1({ vendor, pageSize, serverUrl: `${base}/api/v1` }),
    settings: openApiSettings({ vendor, pageSize, serverUrl: `${base}/api/settings` })
  }
})

const openApiDocument = (version: "v1" | "v2" | "settings") =>
  HttpRouter.add(
    "GET",
    `/api/${version}/openapi.json`,
    Effect.map(openApi, (documents) => jsonText(JSON.stringify(documents[version])))
  )

/** The OpenAPI documents, and the page made from them. */
export const documents = Layer.mergeAll(
  openApiDocument("v2"),
  openApiDocument("v1"),
  openApiDocument("settings"),
  HttpRouter.add(
    "GET",
    "/api/docs",
    Effect.map(openApi, (all) => htmlResponse(apiDocs(all)))
  )
)
