import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TranscriptStatus } from "./Transcript.ts"

/** Events of a transcript. `Requested`: requested, or requested again. `Completed`: it has text. `Failed`: it will have none. */
export const TranscriptEvent = Schema.Literals(["Requested", "Completed", "Failed"])
export type TranscriptEvent = typeof TranscriptEvent.Type

/** An event that is impossible in the status of the transcript. */
export class ImpossibleTranscriptMove extends Schema.TaggedError<ImpossibleTranscriptMove>()(
  "ImpossibleTranscriptMove",
  { status: TranscriptStatus, event: TranscriptEvent }
) {
  override get message(): string {
    return `A transcript that is ${this.status} cannot move on ${this.event}`
  }
}

/** Returns the status after `event`, or a refusal. `processing` ends as `ready` or `unavailable`, and both can be requested again. */
export const decideTranscript = (
  status: TranscriptStatus,
  event: TranscriptEvent
): Result.Result<TranscriptStatus, ImpossibleTranscriptMove> => {
  const processing = status === "processing"
  if (event === "Requested" && !processing) return Result.succeed("processing")
  if (event === "Completed" && processing) return Result.succeed("ready")
  if (event === "Failed" && processing) return Result.succeed("unavailable")
  return Result.fail(new ImpossibleTranscriptMove({ status, event }))
}

/** Returns the event that leads to `status`, for callers that set the status, such as a scripted transcript. */
export const transcriptEventTo = (status: TranscriptStatus): TranscriptEvent => {
  switch (status) {
    case "processing":
      return "Requested"
    case "ready":
      return "Completed"
    case "unavailable":
      return "Failed"
  }
}
