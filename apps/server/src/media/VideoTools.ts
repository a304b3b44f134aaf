import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import type { TrimRange } from "@tapedeck/domain"
import { Context, Effect } from "effect"
import { headOf, type Probe, readProbe, startsFast } from "./probe.ts"
import { ProcessFailed, runProcess } from "./runProcess.ts"

export interface VideoToolsOptions {
  /** Name or path. ffprobe is expected in the same directory. */
  readonly ffmpeg: string
  readonly timeoutMs: number
  /** Maximum size of a file that is created. */
  readonly maxFileBytes: number
  /** Names of variables that ffmpeg and ffprobe get besides PATH, HOME, LANG and TMPDIR. */
  readonly passEnvironment: ReadonlyArray<string>
}

/** A video to join, and what is known of it. */
export interface JoinedVideo {
  readonly path: string
  readonly probe: Probe
}

/** Operations on videos. `from` and `to` are paths that the server chose; the content of `from` is untrusted. */
export class VideoTools extends Context.Service<
  VideoTools,
  {
    /** The path of ffprobe. */
    readonly ffprobe: string
    readonly probe: (from: string) => Effect.Effect<Probe, ProcessFailed>
    /** Writes a JPEG of a moment near the start. */
    readonly still: (from: string, to: string, probe: Probe) => Effect.Effect<void, ProcessFailed>
    /** Writes an MP4 that every browser plays while it loads. False if the file is one already. */
    readonly playable: (from: string, to: string, probe: Probe) => Effect.Effect<boolean, ProcessFailed>
    /** Writes several videos, one after another, as such an MP4: all in the size of the first. Their lengths are known. */
    readonly joined: (videos: ReadonlyArray<JoinedVideo>, to: string) => Effect.Effect<void, ProcessFailed>
    /** Writes a part of the video as such an MP4. Without loss where a key frame is near its start, else encoded anew. */
    readonly trimmed: (from: string, to: string, range: TrimRange, probe: Probe) => Effect.Effect<void, ProcessFailed>
    /** Writes the sound as a small M4A with one channel. */
    readonly sound: (from: string, to: string) => Effect.Effect<void, ProcessFailed>
  }
>()("@tapedeck/server/VideoTools") {}

/** Demuxers of the formats that `videoTypeOf` recognizes: what can be uploaded can be processed. None reads other files. */
const formats = "mov,mp4,m4a,3gp,3g2,mj2,avi,flv,asf,mpeg,mpegvideo,mpegts,ogg,matroska,webm"

/**
 * Reads only these formats and only the file itself, because an upload may be a playlist that names other files.
 */
const input = (from: string) => [...["-protocol_whitelist", "file", "-format_whitelist", formats], ...["-i", from]]

/** How far from its start a part may begin, so that it needs no encoding. */
const keyFrameSeconds = 0.1

const quiet = ["-nostdin", "-hide_banner", "-v", "error", "-y"]

/** Scales to at most 1920 × 1080 square pixels, with even numbers, as the codec requires. */
const fitted =
  "scale=w='max(2,trunc(min(1920,iw*sar*min(1,1080/ih))/2)*2)':h='max(2,trunc(min(1080,ih*min(1,1920/(iw*sar)))/2)*2)',setsar=1"

/** Makes pixels square. */
const squared = "scale=w='max(1,iw*sar)':h=ih,setsar=1"

/** H.264 and AAC, as every browser plays them. */
const encoded = [
  ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p"],
  ...["-c:a", "aac", "-b:a", "128k", "-ac", "2"]
]

export const makeVideoTools = (options: VideoToolsOptions): VideoTools["Service"] => {
  const { ffmpeg, maxFileBytes, passEnvironment, timeoutMs } = options
  const name = ffmpeg.slice(Math.max(ffmpeg.lastIndexOf("/"), ffmpeg.lastIndexOf("\\")) + 1)
  const ffprobe = ffmpeg.slice(0, ffmpeg.length - name.length) + name.replace("ffmpeg", "ffprobe")

  const run = (program: string, args: ReadonlyArray<string>, directory: string) =>
    runProcess(program, args, { directory, timeoutMs, maxOutputBytes: 1024 * 1024, passEnvironment })

  /** Creates a file. ffmpeg stops at the maximum size without an error, so a file of that size is incomplete. */
  const make = Effect.fnUntraced(function* (to: string, args: ReadonlyArray<string>) {
    const limit = ["-map_metadata", "-1", "-fs", String(maxFileBytes)]
    yield* run(ffmpeg, [...quiet, ...args, ...limit, to], dirname(to))
    const size = yield* Effect.promise(() =>
      stat(to).then(
        ({ size }) => size,
        () => 0
      )
    )
    if (size > 0 && size < maxFileBytes * 0.99) return
    const detail = size === 0 ? "wrote nothing" : `reached ${maxFileBytes} bytes`
    return yield* new ProcessFailed({ reason: "failed", program: ffmpeg, detail: `${detail}` })
  })

  const probe = Effect.fnUntraced(function* (from: string) {
    const json = yield* run(
      ffprobe,
      ["-hide_banner", "-v", "error", "-print_format", "json", "-show_format", "-show_streams", ...input(from)],
      dirname(from)
    )
    const read = readProbe(json.toString("utf8"), yield* Effect.promise(() => headOf(from)))
    if (read !== undefined) return read
    return yield* new ProcessFailed({ reason: "failed", program: ffprobe, detail: "wrote unreadable output" })
  })

  const still = (from: string, to: string, { durationSeconds }: Probe) =>
    make(to, [
      // A recording often begins with an empty screen.
      ...["-ss", String(Math.min(1, (durationSeconds ?? 0) / 2))],
      ...input(from),
      ...["-map", "0:v:0", "-frames:v", "1", "-vf", `${squared},scale='min(640,iw)':-2`, "-q:v", "4"],
      ...["-pix_fmt", "yuvj420p", "-f", "mjpeg"]
    ])

  const joined = (videos: ReadonlyArray<JoinedVideo>, to: string) => {
    const { height, width } = videos.find(({ probe }) => probe.size !== null)?.probe.size ?? {
      width: 1280,
      height: 720
    }
    const [w, h] = [width - (width % 2), height - (height % 2)]
    const hasSound = videos.some(({ probe }) => probe.hasAudio)
    const picture = `${squared},scale=${w}:${h}:force_original_aspect_ratio=decrease,pad=${w}:${h}:-1:-1,setsar=1,fps=30`
    const streams = videos.map(({ probe }, index) => {
      const silence = `anullsrc=r=48000:cl=stereo,atrim=duration=${probe.durationSeconds ?? 0}`
      const sound = probe.hasAudio ? `[${index}:a:0]aresample=48000,aformat=channel_layouts=stereo` : silence
      return `[${index}:v:0]${picture}[v${index}];${hasSound ? `${sound}[a${index}];` : ""}`
    })
    const pads = videos.map((_, index) => `[v${index}]${hasSound ? `[a${index}]` : ""}`)
    const graph = `${streams.join("")}${pads.join("")}concat=n=${videos.length}:v=1:a=${hasSound ? 1 : 0}[v]${hasSound ? "[a]" : ""}`
    const mapped = ["-map", "[v]", ...(hasSound ? ["-map", "[a]"] : [])]
    return make(to, [
      ...videos.flatMap(({ path }) => input(path)),
      ...["-filter_complex", graph, ...mapped, ...encoded, "-movflags", "+faststart", "-f", "mp4"]
    ])
  }

  const playable = Effect.fnUntraced(function* (
    from: string,
    to: string,
    { hasPlayableStreams = false, playsEverywhere }: Probe
  ) {
    if (playsEverywhere && (yield* Effect.promise(() => startsFast(from)))) return false
    const codecs = playsEverywhere || hasPlayableStreams ? ["-c", "copy"] : [...encoded, "-vf", fitted]
    const streams = ["-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn"]
    yield* make(to, [...input(from), ...streams, ...codecs, "-movflags", "+faststart", "-f", "mp4"])
    return true
  })

  /** Where a key frame is near enough to begin there; undefined: nowhere. */
  const keyFrameAt = Effect.fnUntraced(function* (from: string, at: number) {
    const [first, last] = [Math.max(0, at - keyFrameSeconds), at + keyFrameSeconds]
    const frames = [
      "-select_streams",
      "v:0",
      "-skip_frame",
      "nokey",
      "-show_entries",
      "frame=pts_time",
      "-of",
      "csv=p=0"
    ]
    const args = ["-hide_banner", "-v", "error", ...frames, "-read_intervals", `${first}%${last}`, ...input(from)]
    const times = (yield* run(ffprobe, args, dirname(from))).toString("utf8").split("\n").map(Number.parseFloat)
    const near = times.filter((time) => time >= first && time <= last)
    return near.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at))[0]
  })

  const trimmed = Effect.fnUntraced(function* (
    from: string,
    to: string,
    { endSeconds, startSeconds }: TrimRange,
    { playsEverywhere }: Probe
  ) {
    const keyFrame = playsEverywhere ? yield* keyFrameAt(from, startSeconds) : undefined
    const start = keyFrame ?? startSeconds
    // A seek in front of a key frame goes to the one before it.
    const seek = keyFrame === undefined || keyFrame === 0 ? start : start + 0.001
    const codecs =
      keyFrame === undefined ? [...encoded, "-vf", fitted] : ["-c", "copy", "-avoid_negative_ts", "make_zero"]
    const streams = ["-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn"]
    const part = ["-ss", String(seek), ...input(from), "-t", String(endSeconds - start)]
    yield* make(to, [...part, ...streams, ...codecs, "-movflags", "+faststart", "-f", "mp4"])
  })

  const sound = (from: string, to: string) =>
    make(to, [...input(from), "-map", "0:a:0", "-vn", "-c:a", "aac", "-b:a", "48k", "-ac", "1", "-f", "ipod"])

  return VideoTools.of({ ffprobe, probe, still, playable, joined, trimmed, sound })
}
