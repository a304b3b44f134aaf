import { open } from "node:fs/promises"
import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal/files"
import { Result, Schema } from "effect"

/** The part of ffprobe's output that is used. */
const Probed = Schema.Struct({
  format: Schema.Struct({
    format_name: Schema.String,
    duration: Schema.optionalKey(Schema.String),
    tags: Schema.optionalKey(Schema.Struct({ major_brand: Schema.optionalKey(Schema.String) }))
  }),
  streams: Schema.Array(
    Schema.Struct({
      codec_type: Schema.optionalKey(Schema.String),
      codec_name: Schema.optionalKey(Schema.String),
      pix_fmt: Schema.optionalKey(Schema.String),
      width: Schema.optionalKey(Schema.Natural),
      height: Schema.optionalKey(Schema.Natural),
      duration: Schema.optionalKey(Schema.String)
    })
  )
})

export interface Probe {
  /** Null if the file does not contain it: recorders that stream omit it. */
  readonly durationSeconds: number | null
  readonly hasVideo: boolean
  /** Size of the picture, in pixels; null if it is unknown. */
  readonly size: { readonly width: number; readonly height: number } | null
  readonly hasAudio: boolean
  /** MP4 with H.264, and AAC or no sound: every browser plays it. */
  readonly playsEverywhere: boolean
  /** Streams of such an MP4 in another container: QuickTime, 3GP or Matroska. They can be copied. */
  readonly hasPlayableStreams?: boolean
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Probed))

/**
 * Reads the output of ffprobe. Returns undefined if it is invalid. `head` is the start of the file, because ffprobe has one name for
 * QuickTime, 3GP and MP4, which their brands distinguish.
 */
export const readProbe = (json: string, head: Uint8Array = new Uint8Array()): Probe | undefined => {
  const probed = decode(json)
  if (Result.isFailure(probed)) return undefined
  const { format, streams } = probed.success
  const of = (type: string) => streams.filter(({ codec_type }) => codec_type === type)
  const [video, ...others] = of("video")
  const lengths = [format.duration, ...streams.map(({ duration }) => duration)].map(Number)
  const known = lengths.filter((seconds) => Number.isFinite(seconds) && seconds > 0)
  const hasPlayableStreams =
    others.length === 0 &&
    video?.codec_name === "h264" &&
    // 4:2:0 with 8 bits: hardware decodes it.
    /^yuvj?420p$/.test(video.pix_fmt ?? "") &&
    of("audio").every(({ codec_name }) => codec_name === "aac")
  const containers = format.format_name.split(",")
  const type = videoTypeOf(head)
  const isMp4 =
    containers.includes("mp4") &&
    (type === undefined ? !(head.length > 0 && format.tags?.major_brand !== undefined) : type === "video/mp4")
  const isCopied = hasPlayableStreams && !isMp4 && ["mp4", "matroska"].some((name) => containers.includes(name))
  return {
    durationSeconds: known.length === 0 ? null : known[0]!,
    hasVideo: video !== undefined,
    size: video?.width && video.height ? { width: video.width, height: video.height } : null,
    hasAudio: of("audio").length > 0,
    playsEverywhere: hasPlayableStreams && isMp4,
    ...(isCopied && { hasPlayableStreams: true })
  }
}

/** The beginning of a file, as far as the type of a video depends on it. */
export const headOf = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(videoHeadBytes), 0, videoHeadBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Returns whether an MP4's index precedes its media data, so that it plays while it loads, and all of the data is there. A
 * truncated file has the length of the whole one in its index.
 */
export const startsFast = async (path: string): Promise<boolean> => {
  const file = await open(path, "r")
  try {
    const { size: length } = await file.stat()
    const head = Buffer.alloc(16)
    let hasIndex = false
    // A fragmented file has boxes for each second or so.
    for (let at = 0, boxes = 0; boxes < 1_000_000; boxes++) {
      const { bytesRead } = await file.read(head, 0, 16, at)
      if (bytesRead < 8) return hasIndex
      const type = head.toString("latin1", 4, 8)
      if (type === "moov") hasIndex = true
      if (type === "mdat" && !hasIndex) return false
      // ISO/IEC 14496-12, 4.2: a size of 1 stands for a longer one behind the type.
      const size = head.readUInt32BE(0) === 1 ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0)
      // A size of 0 means up to the end of the file.
      if (size < 8) return hasIndex && size === 0
      at += size
      if (at > length) return false
    }
    return false
  } finally {
    await file.close()
  }
}
