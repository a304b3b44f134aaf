import { Schema } from "effect"
import type { Probe } from "./probe.ts"

/** Maximum width, and height, of a picture in pixels. */
export const maxSidePixels = 8_192

/** Maximum number of pixels of a picture: 8K. ffmpeg needs about 1.2 GB for it. */
export const maxPicturePixels = 8_192 * 4_320

/** A file that is beyond a limit, so that no program works on it. */
export class MediaBeyondLimit extends Schema.TaggedError<MediaBeyondLimit>()("MediaBeyondLimit", {
  limit: Schema.Literals(["picture", "length"]),
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

/** The limit that the picture of a video is beyond. */
export const pictureProblem = ({ size }: Probe): MediaBeyondLimit | undefined => {
  if (size === null) return undefined
  const { height, width } = size
  if (Math.max(width, height) <= maxSidePixels && width * height <= maxPicturePixels) return undefined
  const limit = `${maxSidePixels} pixels a side and ${maxPicturePixels} in all`
  return new MediaBeyondLimit({
    limit: "picture",
    problem: `picture too large: ${width} × ${height} pixels, where ${limit} are processed`
  })
}

/** The limit that the length of a video, if it is known, is beyond. */
export const lengthProblem = (seconds: number | null, maxSeconds: number): MediaBeyondLimit | undefined => {
  if (seconds === null || seconds <= maxSeconds) return undefined
  return new MediaBeyondLimit({
    limit: "length",
    problem: `video too long: more than the ${maxSeconds} s that are processed`
  })
}
