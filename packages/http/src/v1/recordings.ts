import { v1 } from "@tapedeck/contract"
import { HttpApiBuilder } from "effect/http-api"
import { recordingReads } from "../recordingReads.ts"
import { flatRecording } from "../wire/flatRecording.ts"

/** The plain reads, which `plainReads.ts` answers past the router, too. */
export const reads = recordingReads(flatRecording)

/** The legacy reads (specification, Legacy v1; R17). */
export const recordings = HttpApiBuilder.group(v1.Api, "recordings", (handlers) =>
  handlers.handle("list", ({ query }) => reads.list(query)).handle("get", ({ params }) => reads.get(params.uuid))
)
