import { rm, stat, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { basename, dirname } from "node:path"
import type { TrimRange } from "@tapedeck/domain"
import { Context, Effect } from "effect"
import { maxPicturePixels } from "./limits.ts"
import { headOf, type Probe, readProbe, startsFast } from "./probe.ts"
import { ProcessFailed, runProcess } from "./runProcess.ts"

export interface VideoToolsOptions {
  /** Name or path. ffprobe is expected in the same directory. */
  readonly ffmpeg: string
  /** Maximum size of a file that is created. */
  readonly maxFileBytes: number
  /** Maximum size of the address space of a program. */
  readonly maxMemoryBytes: number
  /** Names of variables that ffmpeg and ffprobe get besides PATH, HOME, LANG and TMPDIR. */
  readonly passEnvironment: ReadonlyArray<string>
}

/** A video to join, and its probe. */
export interface JoinedVideo {
  readonly path: string
  readonly probe: Probe
}

/**
 * Operations on videos. `from` and `to` are paths that the server chose; the content of `from` is untrusted. Files that are created
 * end a second after `maxSeconds`, whatever length `from` states: a longer file is incomplete.
 */
export class VideoTools extends Context.Service<
  VideoTools,
  {
    /** The path of ffprobe. */
    readonly ffprobe: string
    readonly probe: (from: string) => Effect.Effect<Probe, ProcessFailed>
    /** Writes a JPEG of a moment near the start. */
    readonly still: (from: string, to: string, probe: Probe) => Effect.Effect<void, ProcessFailed>
    /** Writes an MP4 that every browser plays while it loads. False if the file is one already. */
    readonly playable: (
      from: string,
      to: string,
      probe: Probe,
      maxSeconds: number
    ) => Effect.Effect<boolean, ProcessFailed>
    /** Writes several videos, one after another, as such an MP4: all in the size of the first, fitted. One decoder runs at a time. */
    readonly joined: (
      videos: ReadonlyArray<JoinedVideo>,
      to: string,
      maxSeconds: number
    ) => Effect.Effect<void, ProcessFailed>
    /** Writes a part of the video as such an MP4. The part is copied without loss if a key frame is near its start, else encoded. */
    readonly trimmed: (from: string, to: string, range: TrimRange, probe: Probe) => Effect.Effect<void, ProcessFailed>
    /** Writes the sound as a small M4A with one channel. */
    readonly sound: (from: string, to: string, maxSeconds: number) => Effect.Effect<void, ProcessFailed>
    /** Returns the middle of the longest pause in a range of such a sound; undefined if there is none. */
    readonly pauseIn: (from: string, range: TrimRange) => Effect.Effect<number | undefined, ProcessFailed>
    /** Writes a range of such a sound, without encoding it again. */
    readonly soundPart: (from: string, to: string, range: TrimRange) => Effect.Effect<void, ProcessFailed>
  }
>()("@tapedeck/server/VideoTools") {}

/** Demuxers of the formats that `videoTypeOf` recognizes: every file that can be uploaded can be processed. No demuxer reads other files. */
const formats = "mov,mp4,m4a,3gp,3g2,mj2,avi,flv,asf,mpeg,mpegvideo,mpegts,ogg,matroska,webm"

/** Number of threads. Memory grows with it, because each thread decodes a picture of its own. */
const threads = ["-threads", String(Math.min(4, availableParallelism()))]

/** Reads only these formats and only the file itself, because an upload may be a playlist that names other files. */
const source = (from: string) => ["-protocol_whitelist", "file", "-format_whitelist", formats, "-i", from]

/** Decodes no picture beyond the limit: the size may change in the middle of a file. */
const input = (from: string) => [...threads, "-max_pixels", String(maxPicturePixels), ...source(from)]

/** Maximum distance between the requested start of a part and a key frame at which it starts without encoding, in seconds. */
const keyFrameSeconds = 0.1

const quiet = ["-nostdin", "-hide_banner", "-v", "error", "-y", "-filter_threads", threads[1]!]

/** Scales down to a box, in square pixels, with even numbers, as the codec requires. A file may state any shape of pixels. */
const fittedIn = (width: number, height: number) =>
  `scale=w='max(2,trunc(min(${width},iw*sar*min(1,${height}/ih))/2)*2)':h='max(2,trunc(min(${height},ih*min(1,${width}/(iw*sar)))/2)*2)',setsar=1`

const fitted = fittedIn(1920, 1080)

/** H.264 and AAC, as every browser plays them. */
const encoded = [
  ...threads,
  ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p"],
  ...["-c:a", "aac", "-b:a", "128k", "-ac", "2"]
]

/** Scales a picture into the box, and fills the box up. */
const inBox = (width: number, height: number) =>
  `scale=${width}:${height}:force_original_aspect_ratio=decrease,pad=${width}:${height}:-1:-1,setsar=1`

const upTo = (maxSeconds: number) => ["-t", String(maxSeconds + 1)]

/** The errors of ffmpeg, its libraries and the loader where a limit ends them. */
const limitErrors = (maxMemoryBytes: number) =>
  [
    [/exceeds specified max pixel count/, `a picture has more than ${maxPicturePixels} pixels`],
    [
      /annot allocate memory|ould not allocate memory|malloc of size \d|bad_alloc|get_buffer\(\) failed|failed to map segment/,
      `it needs more than ${maxMemoryBytes} bytes of memory (media_memory)`
    ]
  ] as const

export const makeVideoTools = (options: VideoToolsOptions): VideoTools["Service"] => {
  const { ffmpeg, maxFileBytes, maxMemoryBytes, passEnvironment } = options
  const name = ffmpeg.slice(Math.max(ffmpeg.lastIndexOf("/"), ffmpeg.lastIndexOf("\\")) + 1)
  const ffprobe = ffmpeg.slice(0, ffmpeg.length - name.length) + name.replace("ffmpeg", "ffprobe")

  const limits = limitErrors(maxMemoryBytes)

  const run = (program: string, args: ReadonlyArray<string>, directory: string) =>
    runProcess(program, args, { directory, limits, maxMemoryBytes, maxOutputBytes: 1024 * 1024, passEnvironment })

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
      ["-hide_banner", "-v", "error", "-print_format", "json", "-show_format", "-show_streams", ...source(from)],
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
      ...["-map", "0:v:0", "-frames:v", "1", "-vf", fittedIn(640, 1280), "-q:v", "4"],
      ...["-pix_fmt", "yuvj420p", "-f", "mjpeg"]
    ])

  /** Writes one of the videos to join: all have the same codecs, and pictures and sound of the same form. */
  const uniform = (from: string, to: string, probe: Probe, size: Probe["size"], maxSeconds: number) => {
    const box = size === null ? "" : `,${inBox(size.width, size.height)}`
    const sound = probe.hasAudio ? ["-map", "0:a:0", "-ar", "48000"] : []
    return make(to, [
      ...[...input(from), "-map", "0:v:0", ...sound, "-sn", "-dn", ...encoded],
      ...["-vf", `${fitted}${box},fps=30`, ...upTo(maxSeconds), "-f", "mp4"]
    ])
  }

  /** Adds silence as long as the video. */
  const withSilence = Effect.fnUntraced(function* (from: string, to: string) {
    const { durationSeconds } = yield* probe(from)
    const silence = ["-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-map", "0:v:0", "-map", "1:a:0"]
    const length = ["-t", String(durationSeconds ?? 0)]
    yield* make(to, [...input(from), ...silence, ...encoded, "-c:v", "copy", ...length, "-f", "mp4"])
    yield* Effect.promise(() => rm(from))
  })

  const joined = Effect.fnUntraced(function* (videos: ReadonlyArray<JoinedVideo>, to: string, maxSeconds: number) {
    const hasSound = videos.some(({ probe }) => probe.hasAudio)
    const made: Array<string> = []
    let size: Probe["size"] = null
    for (const [index, video] of videos.entries()) {
      const [path, silent] = [`${to}-${index}.mp4`, `${to}-${index}-silent.mp4`]
      const isSilent = hasSound && !video.probe.hasAudio
      yield* uniform(video.path, isSilent ? silent : path, video.probe, size, maxSeconds)
      if (isSilent) yield* withSilence(silent, path)
      size ??= (yield* probe(path)).size
      made.push(path)
    }
    const list = `${to}.txt`
    // Names are relative to the list's directory.
    yield* Effect.promise(() => writeFile(list, made.map((path) => `file ${basename(path)}\n`).join("")))
    const joining = ["-protocol_whitelist", "file", "-f", "concat", "-i", list, "-c", "copy"]
    yield* make(to, [...joining, ...upTo(maxSeconds), "-movflags", "+faststart", "-f", "mp4"])
    yield* Effect.promise(() => Promise.all([list, ...made].map((path) => rm(path))))
  })

  const playable = Effect.fnUntraced(function* (
    from: string,
    to: string,
    { hasPlayableStreams = false, playsEverywhere }: Probe,
    maxSeconds: number
  ) {
    if (playsEverywhere && (yield* Effect.promise(() => startsFast(from)))) return false
    const codecs = playsEverywhere || hasPlayableStreams ? ["-c", "copy"] : [...encoded, "-vf", fitted]
    const streams = ["-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn"]
    yield* make(to, [
      ...input(from),
      ...streams,
      ...codecs,
      ...upTo(maxSeconds),
      "-movflags",
      "+faststart",
      "-f",
      "mp4"
    ])
    return true
  })

  /** Returns the time of a key frame that is near enough to start there; undefined if there is none. */
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
    // A seek to a time in front of a key frame finds the previous one.
    const seek = keyFrame === undefined || keyFrame === 0 ? start : start + 0.001
    const codecs =
      keyFrame === undefined ? [...encoded, "-vf", fitted] : ["-c", "copy", "-avoid_negative_ts", "make_zero"]
    const streams = ["-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn"]
    const part = ["-ss", String(seek), ...input(from), "-t", String(endSeconds - start)]
    yield* make(to, [...part, ...streams, ...codecs, "-movflags", "+faststart", "-f", "mp4"])
  })

  const sound = (from: string, to: string, maxSeconds: number) =>
    make(to, [
      ...[...input(from), "-map", "0:a:0", "-vn", "-c:a", "aac", "-b:a", "48k", "-ac", "1"],
      ...[...upTo(maxSeconds), "-f", "ipod"]
    ])

  const pauseIn = Effect.fnUntraced(function* (from: string, { endSeconds, startSeconds }: TrimRange) {
    const part = [...["-ss", String(startSeconds)], ...input(from), "-t", String(endSeconds - startSeconds)]
    const detect = ["-af", "silencedetect=n=-40dB:d=0.2,ametadata=mode=print:file=-", "-f", "null", "-"]
    const printed = (yield* run(ffmpeg, [...quiet, ...part, ...detect], dirname(from))).toString("utf8")
    const times = (key: string) =>
      printed.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [Number(line.slice(key.length + 1))] : []))
    const ends = times("lavfi.silence_end")
    const pauses = times("lavfi.silence_start").map((start, index) => ({
      start: Math.max(0, start),
      end: ends[index] ?? endSeconds - startSeconds
    }))
    const [longest] = pauses.sort((a, b) => b.end - b.start - (a.end - a.start))
    return longest && startSeconds + (longest.start + longest.end) / 2
  })

  const soundPart = (from: string, to: string, { endSeconds, startSeconds }: TrimRange) => {
    const range = [...["-ss", String(startSeconds)], ...input(from), "-t", String(endSeconds - startSeconds)]
    return make(to, [...range, "-map", "0:a:0", "-c", "copy", "-f", "ipod"])
  }

  return VideoTools.of({ ffprobe, probe, still, playable, joined, trimmed, sound, pauseIn, soundPart })
}
