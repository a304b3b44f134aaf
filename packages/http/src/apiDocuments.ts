import { apiDocs, openApiSettings, openApiV1, openApiV2 } from "@tapedeck/contract"
import { ServiceConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { BasePath } from "./host.ts"
import { htmlResponse } from "./html.ts"
import { jsonText } from "./responses.ts"

/** The documents with the settings of the requested world. */
const openApi = Effect.gen(function* () {
  const { pageSize, publicUrl, vendor } = yield* ServiceConfig
  const base = yield* BasePath
  return {
    v2: openApiV2({ vendor, pageSize, publicUrl, serverUrl: `${base}/api/v2` }),
    v1: openApiV1({ vendor, pageSize, publicUrl, serverUrl: `${base}/api/v1` }),
    settings: openApiSettings({ vendor, pageSize, publicUrl, serverUrl: `${base}/api/settings` })
  }
})

const openApiDocument = (version: "v1" | "v2" | "settings") =>
  Effect.map(openApi, (documents) => jsonText(JSON.stringify(documents[version])))

/** The OpenAPI documents, and the page made from them. */
export const apiDocuments = {
  "/api/v2/openapi.json": openApiDocument("v2"),
  "/api/v1/openapi.json": openApiDocument("v1"),
  "/api/settings/openapi.json": openApiDocument("settings"),
  "/api/docs": Effect.map(openApi, (all) => htmlResponse(apiDocs(all)))
} as const
