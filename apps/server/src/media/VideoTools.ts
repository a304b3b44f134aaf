import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { Context, Effect } from "effect"
import { type Probe, readProbe, startsFast } from "./probe.ts"
import { ProcessFailed, runProcess } from "./runProcess.ts"

export interface VideoToolsOptions {
  /** Name or path; ffprobe is beside it. */
  readonly ffmpeg: string
  readonly timeoutMs: number
  /** No file that is made gets larger. */
  readonly maxFileBytes: number
  /** Names of variables that ffmpeg and ffprobe get besides PATH, HOME, LANG and TMPDIR. */
  readonly passEnvironment: ReadonlyArray<string>
}

/** What can be done with videos. `from` and `to` are paths of our own making; what is in `from` is anybody's. */
export class VideoTools extends Context.Service<
  VideoTools,
  {
    /** What is beside ffmpeg. */
    readonly ffprobe: string
    readonly probe: (from: string) => Effect.Effect<Probe, ProcessFailed>
    /** A JPEG of a moment near the beginning. */
    readonly still: (from: string, to: string, probe: Probe) => Effect.Effect<void, ProcessFailed>
    /** An MP4 that every browser plays while it loads. False: the file is one already, nothing is made. */
    readonly playable: (from: string, to: string, probe: Probe) => Effect.Effect<boolean, ProcessFailed>
    /** What is heard, small enough to be sent: an M4A with one channel. */
    readonly sound: (from: string, to: string) => Effect.Effect<void, ProcessFailed>
  }
>()("@tapedeck/server/VideoTools") {}

/**
 * A video may pretend to be a playlist, or name other files: only these formats are read, and of them only the file itself.
 */
const input = (from: string) => [
  ...["-protocol_whitelist", "file", "-format_whitelist", "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm"],
  ...["-i", from]
]

const quiet = ["-nostdin", "-hide_banner", "-v", "error", "-y"]

/** Largest width and height of what is made; even numbers, as the codec needs them. */
const fitted = "scale=w='trunc(min(1920,iw*min(1,1080/ih))/2)*2':h='trunc(min(1080,ih*min(1,1920/iw))/2)*2',setsar=1"

export const makeVideoTools = (options: VideoToolsOptions): VideoTools["Service"] => {
  const { ffmpeg, maxFileBytes, passEnvironment, timeoutMs } = options
  const name = ffmpeg.slice(Math.max(ffmpeg.lastIndexOf("/"), ffmpeg.lastIndexOf("\\")) + 1)
  const ffprobe = ffmpeg.slice(0, ffmpeg.length - name.length) + name.replace("ffmpeg", "ffprobe")

  const run = (program: string, args: ReadonlyArray<string>, directory: string) =>
    runProcess(program, args, { directory, timeoutMs, maxOutputBytes: 1024 * 1024, passEnvironment })

  /** Where ffmpeg stops at a file's greatest size it does so without a word: such a file is not whole. */
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
    const detail = size === 0 ? "made nothing" : `reached ${maxFileBytes} bytes`
    return yield* new ProcessFailed({ reason: "failed", program: ffmpeg, detail: `${detail}` })
  })

  const probe = Effect.fnUntraced(function* (from: string) {
    const json = yield* run(
      ffprobe,
      ["-hide_banner", "-v", "error", "-print_format", "json", "-show_format", "-show_streams", ...input(from)],
      dirname(from)
    )
    const read = readProbe(json.toString("utf8"))
    if (read !== undefined) return read
    return yield* new ProcessFailed({ reason: "failed", program: ffprobe, detail: "told nothing that can be read" })
  })

  const still = (from: string, to: string, { durationSeconds }: Probe) =>
    make(to, [
      // A recording often begins with an empty screen.
      ...["-ss", String(Math.min(1, (durationSeconds ?? 0) / 2))],
      ...input(from),
      ...["-map", "0:v:0", "-frames:v", "1", "-vf", "scale='min(640,iw)':-2", "-q:v", "4"],
      ...["-pix_fmt", "yuvj420p", "-f", "mjpeg"]
    ])

  const playable = Effect.fnUntraced(function* (from: string, to: string, { playsEverywhere }: Probe) {
    if (playsEverywhere && (yield* Effect.promise(() => startsFast(from)))) return false
    const codecs = playsEverywhere
      ? ["-c", "copy"]
      : [
          ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-vf", fitted],
          ...["-c:a", "aac", "-b:a", "128k", "-ac", "2"]
        ]
    const streams = ["-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn"]
    yield* make(to, [...input(from), ...streams, ...codecs, "-movflags", "+faststart", "-f", "mp4"])
    return true
  })

  const sound = (from: string, to: string) =>
    make(to, [...input(from), "-map", "0:a:0", "-vn", "-c:a", "aac", "-b:a", "48k", "-ac", "1", "-f", "ipod"])

  return VideoTools.of({ ffprobe, probe, still, playable, sound })
}
