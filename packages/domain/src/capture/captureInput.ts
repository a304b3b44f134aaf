import { integer } from "../input/fields.ts"

/** Maximum duration of a capture, in seconds: four hours. */
const maxSeconds = 14_400

/** Maximum duration of a capture for which none is set, in seconds. */
export const DEFAULT_CAPTURE_SECONDS = 1_800

export const captureDuration = integer(
  `must be an integer from 1 to ${maxSeconds}`,
  { minimum: 1, maximum: maxSeconds },
  `Maximum duration of a recording, in seconds. Default: ${DEFAULT_CAPTURE_SECONDS}.`
).annotate({ examples: [DEFAULT_CAPTURE_SECONDS] })
