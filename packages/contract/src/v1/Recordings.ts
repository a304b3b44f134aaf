import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errorV1 } from "../errors.ts"
import { FlatRecording, FlatRecordingPage } from "../wire/FlatRecording.ts"
import { PageQuery, RecordingUuidParameter } from "../wire/parameters.ts"
import { ApiAccess, Authentication, QueryValidation, RequestLimits } from "./middleware.ts"

/** GET /api/v1/recordings */
const listFlatRecordings = HttpApiEndpoint.get("list", "/recordings", {
  query: PageQuery,
  success: FlatRecordingPage
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: "recordings.list",
      summary: "List recordings",
      description:
        "Lists recordings, newest first, by page. A member sees their own recordings, an admin all recordings of the account."
    })
  )
  .middleware(QueryValidation)
  .middleware(ApiAccess)

/** GET /api/v1/recordings/{uuid} */
const getFlatRecording = HttpApiEndpoint.get("get", "/recordings/:uuid", {
  params: { uuid: RecordingUuidParameter },
  success: FlatRecording,
  error: errorV1("NotFound", "The recording does not exist, or the caller cannot see it.")
})
  .annotateMerge(
    OpenApi.annotations({
      identifier: "recordings.get",
      summary: "Get a recording",
      description: "Returns a recording by its UUID. For a member, recordings of other users are not found."
    })
  )
  .middleware(ApiAccess)

export class Recordings extends HttpApiGroup.make("recordings")
  .add(listFlatRecordings, getFlatRecording)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Recordings", description: "Screen and video recordings, with flat fields." })
  ) {}
