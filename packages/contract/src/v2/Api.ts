import { HttpApi, OpenApi } from "effect/http-api"
import { Recordings } from "./Recordings.ts"
import { Users } from "./Users.ts"

/** The v2 API, under `/api/v2`. */
export class Api extends HttpApi.make("tapedeck-v2")
  .add(Recordings, Users)
  .prefix("/api/v2")
  // A refusal names every invalid parameter, not only the first.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Recording API",
      version: "2.0.0",
      summary: "Recordings, transcripts and users of an account.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
