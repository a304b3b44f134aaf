import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"

const paths = ["/api/v2/openapi.json", "/api/v1/openapi.json", "/api/settings/openapi.json", "/api/docs"] as const

/** What anybody may read of the API (R1, R21). */
export const publicDocuments: ReadonlyArray<string> = paths

/** Made of all the contracts, which are loaded when it is read. */
const document = (path: (typeof paths)[number]) =>
  HttpRouter.add(
    "GET",
    path,
    Effect.flatMap(
      Effect.promise(() => import("./apiDocuments.ts")),
      ({ apiDocuments }) => apiDocuments[path]
    )
  )

const [v2, v1, settings, docs] = paths

export const documents = Layer.mergeAll(document(v2), document(v1), document(settings), document(docs))
