import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"

import { MemberAccess } from "./middleware.ts"

const stream = HttpApiEndpoint.get("stream", "/events", {
  success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
  error: [
    errorV2("TooManyRequests", "The caller has 10 open streams, which is the maximum."),
    errorV2("ServiceUnavailable", "The server process has 500 open streams, which is the maximum.")
  ]
})
  .annotateMerge(
    about(
      "events.stream",
      "Stream changes",
      "Streams server-sent events about changes of data that the caller can read: `recording` and `transcript` (with `uuid`; a member's " +
        "own), and for admins `delivery` (with `id`; null if many deliveries of a receiver changed) and `attempt`. The data of an event is " +
        "JSON with ids only: request the changed records. The first event is `ready`. With the header `Last-Event-ID`, the stream continues " +
        "after that event. `reset` means that changes were missed: read the data again. `closed` ends the stream, with a `reason`: " +
        "`slow_reader` after 1,000 unread events, `access_revoked` or `shutting_down`. The server sends a comment every 15 seconds."
    )
  )
  .middleware(MemberAccess)

export class Events extends HttpApiGroup.make("events")
  .add(stream)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "Changes of data, as a stream." })) {}
