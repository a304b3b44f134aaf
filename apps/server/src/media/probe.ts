import { open } from "node:fs/promises"
import { Result, Schema } from "effect"

/** The part of ffprobe's output that is used. */
const Probed = Schema.Struct({
  format: Schema.Struct({ format_name: Schema.String, duration: Schema.optionalKey(Schema.String) }),
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
  /** Of the picture, in pixels; null where that is not known. */
  readonly size: { readonly width: number; readonly height: number } | null
  readonly hasAudio: boolean
  /** MP4 with H.264, and AAC or no sound: every browser plays it. */
  readonly playsEverywhere: boolean
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Probed))

export const readProbe = (json: string): Probe | undefined => {
  const probed = decode(json)
  if (Result.isFailure(probed)) return undefined
  const { format, streams } = probed.success
  const of = (type: string) => streams.filter(({ codec_type }) => codec_type === type)
  const [video, ...others] = of("video")
  const lengths = [format.duration, ...streams.map(({ duration }) => duration)].map(Number)
  const known = lengths.filter((seconds) => Number.isFinite(seconds) && seconds > 0)
  return {
    durationSeconds: known.length === 0 ? null : known[0]!,
    hasVideo: video !== undefined,
    size: video?.width && video.height ? { width: video.width, height: video.height } : null,
    hasAudio: of("audio").length > 0,
    playsEverywhere:
      format.format_name.split(",").includes("mp4") &&
      others.length === 0 &&
      video?.codec_name === "h264" &&
      // 4:2:0 with 8 bits: hardware decodes it.
      /^yuvj?420p$/.test(video.pix_fmt ?? "") &&
      of("audio").every(({ codec_name }) => codec_name === "aac")
  }
}

/** Whether an MP4's index precedes its media data, so that it plays while it loads. */
export const startsFast = async (path: string): Promise<boolean> => {
  const file = await open(path, "r")
  try {
    const head = Buffer.alloc(16)
    for (let at = 0, boxes = 0; boxes < 100; boxes++) {
      const { bytesRead } = await file.read(head, 0, 16, at)
      if (bytesRead < 16) return false
      const type = head.toString("latin1", 4, 8)
      if (type === "moov") return true
      if (type === "mdat") return false
      // ISO/IEC 14496-12, 4.2: a size of 1 stands for a longer one behind the type.
      const size = head.readUInt32BE(0) === 1 ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0)
      if (size < 8) return false
      at += size
    }
    return false
  } finally {
    await file.close()
  }
}
