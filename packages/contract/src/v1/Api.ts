import { HttpApi, OpenApi } from "effect/http-api"
import { Recordings } from "./Recordings.ts"

/** The legacy v1 API, under `/api/v1`. No request has a body. */
export class Api extends HttpApi.make("tapedeck-v1")
  .add(Recordings)
  .prefix("/api/v1")
  // A refusal names every invalid parameter, not only the first.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Recording API, legacy",
      version: "1.0.0",
      summary: "Recordings of an account, with flat fields, read-only.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
