import { HttpApi, OpenApi } from "effect/http-api"
import { Recordings } from "./Recordings.ts"

/** The legacy v1 API, below `/api/v1`. It takes no bodies. */
export class Api extends HttpApi.make("tapedeck-v1")
  .add(Recordings)
  .prefix("/api/v1")
  // A refusal names every parameter that is wrong, not the first alone.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Recording API, legacy",
      version: "1.0.0",
      summary: "Recordings of an account, flat and read-only.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
