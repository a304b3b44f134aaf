import { openApiV1, openApiV2 } from "@tapedeck/contract"
import { ServiceConfig } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { BasePath } from "./BasePath.ts"
import { jsonText } from "./responses.ts"

/** What anybody may read of the API (R1, R21). */
export const publicDocuments: ReadonlyArray<string> = ["/api/v2/openapi.json", "/api/v1/openapi.json"]

const document = (version: "v1" | "v2") =>
  HttpRouter.add(
    "GET",
    `/api/${version}/openapi.json`,
    Effect.gen(function* () {
      const { vendor, pageSize } = yield* ServiceConfig
      const options = { vendor, pageSize, serverUrl: `${yield* BasePath}/api/${version}` }
      return jsonText(JSON.stringify(version === "v2" ? openApiV2(options) : openApiV1(options)))
    })
  )

/** The OpenAPI documents, with the knobs of the world that is asked. */
export const documents = Layer.mergeAll(document("v2"), document("v1"))
