import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"

import { MemberAccess } from "./middleware.ts"

const stream = HttpApiEndpoint.get("stream", "/events", {
  success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
  error: [
    errorV2("TooManyRequests", "The caller has 10 of these streams open."),
    errorV2("ServiceUnavailable", "The process has 500 of these streams open.")
  ]
})
  .annotateMerge(
    about(
      "events.stream",
      "Watch for changes",
      "Server-sent events of what changed, of what the caller may read: `recording` and `transcript` (`uuid`; a member's own), for " +
        "admins `delivery` (`id`, or null: many of a receiver) and `attempt`. The data is JSON with ids alone: read what changed. " +
        "`ready` begins the stream; with the header `Last-Event-ID` it goes on behind that event. `reset`: some changes were missed; read anew. `closed` ends it, with a `reason`: `slow_reader` " +
        "after 1,000 events that were not read, `access_revoked`, `shutting_down`. A comment comes every 15 seconds."
    )
  )
  .middleware(MemberAccess)

export class Events extends HttpApiGroup.make("events")
  .add(stream)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "What changes, as it does." })) {}
