import * as Schema from "effect/Schema"
import { object } from "../input/fields.ts"
import { MAX_TRIM_SECONDS } from "./trim.ts"

const notSeconds = "must be a number of seconds"

const seconds = (description: string) =>
  Schema.Number.annotate({ message: notSeconds, description }).check(Schema.isFinite({ message: notSeconds }))

export const trimFields = {
  start_seconds: seconds("Start of the trimmed video, in seconds of the whole video.")
    .check(Schema.isGreaterThanOrEqualTo(0, { message: "must not be negative" }))
    .annotate({ examples: [2.5] }),
  end_seconds: seconds(
    "End of the trimmed video, in seconds of the whole video: at least one second after `start_seconds`, and not beyond the video."
  )
    .check(Schema.isLessThanOrEqualTo(MAX_TRIM_SECONDS, { message: `must be at most ${MAX_TRIM_SECONDS}` }))
    .annotate({ examples: [31] })
}

export const TrimInput = object(trimFields, "The part of the video that a trim keeps.")
export type TrimInput = typeof TrimInput.Type
