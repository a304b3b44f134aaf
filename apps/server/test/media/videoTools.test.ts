import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"
import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal/files"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { readProbe, startsFast } from "../../src/media/probe.ts"
import { makeVideoTools } from "../../src/media/VideoTools.ts"
import { aDirectory, aProgram } from "./programs.ts"

const limits = { maxFileBytes: 1_000_000, maxMemoryBytes: 2 * 1024 ** 3, passEnvironment: [] }

const maxSeconds = 60

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

const h264 = { codec_type: "video", codec_name: "h264", pix_fmt: "yuv420p", width: 1280, height: 720 }
const aac = { codec_type: "audio", codec_name: "aac" }
const mp4 = { format_name: "mov,mp4,m4a,3gp,3g2,mj2", duration: "61.4" }

const probed = (format: object, streams: ReadonlyArray<object>) => readProbe(JSON.stringify({ format, streams }))

/** A box of an MP4. */
const box = (type: string, size: number) => {
  const bytes = Buffer.alloc(size)
  bytes.writeUInt32BE(size, 0)
  bytes.write(type, 4, "latin1")
  return bytes
}

describe("The output of ffprobe", () => {
  test("gives the duration, and whether every browser plays the file", () => {
    expect(probed(mp4, [h264, aac])).toEqual({
      durationSeconds: 61.4,
      hasVideo: true,
      size: { width: 1280, height: 720 },
      hasAudio: true,
      playsEverywhere: true
    })
    expect(probed(mp4, [h264])).toMatchObject({ hasAudio: false, playsEverywhere: true })
    for (const [format, streams] of [
      [{ ...mp4, format_name: "matroska,webm" }, [h264, aac]],
      [mp4, [{ ...h264, codec_name: "hevc" }, aac]],
      [mp4, [{ ...h264, pix_fmt: "yuv444p" }]],
      [mp4, [h264, { ...aac, codec_name: "opus" }]],
      [mp4, [aac]]
    ] as const) {
      expect(probed(format, streams)?.playsEverywhere).toBe(false)
    }
  })

  test("may lack the duration or have it only in streams, and is refused if it is invalid", () => {
    expect(probed({ format_name: "matroska,webm" }, [{ codec_type: "video" }])?.durationSeconds).toBeNull()
    expect(probed({ ...mp4, duration: "N/A" }, [{ ...h264, duration: "7.5" }])?.durationSeconds).toBe(7.5)
    expect(readProbe("{}")).toBeUndefined()
    expect(readProbe("no JSON")).toBeUndefined()
  })

  test("does not tell whether an MP4 plays while it loads, which its boxes do", async () => {
    const path = join(aDirectory(), "v")
    const long = box("mdat", 32)
    long.writeUInt32BE(1, 0)
    long.writeBigUInt64BE(32n, 8)
    for (const [boxes, isFast] of [
      [[box("ftyp", 24), box("moov", 40), box("mdat", 16)], true],
      [[box("ftyp", 24), box("free", 16), box("mdat", 16), box("moov", 40)], false],
      [[box("ftyp", 24), long, box("moov", 40)], false],
      [[box("ftyp", 24), box("moov", 40), box("mdat", 200).subarray(0, 60)], false],
      [[box("ftyp", 24), box("moov", 40), box("moof", 40), box("mdat", 16), box("moof", 40), box("mdat", 16)], true],
      [[Buffer.alloc(40)], false],
      [[], false]
    ] as const) {
      writeFileSync(path, Buffer.concat(boxes))
      expect(await startsFast(path)).toBe(isFast)
    }
  })
})

describe("ffmpeg", () => {
  /** One that keeps what it was asked, and makes so many bytes. */
  const fake = (bytes: number, probe = JSON.stringify({ format: mp4, streams: [h264, aac] })) => {
    const directory = aDirectory()
    const keep = `fs.appendFileSync(${JSON.stringify(join(directory, "asked"))}, JSON.stringify(args) + "\\n")`
    const ffmpeg = aProgram(directory, "ffmpeg", `${keep}; fs.writeFileSync(args.at(-1), "x".repeat(${bytes}))`)
    aProgram(directory, "ffprobe", `${keep}; process.stdout.write(${JSON.stringify(probe)})`)
    const from = join(directory, "-i original; rm")
    writeFileSync(from, "")
    return {
      tools: makeVideoTools({ ffmpeg, ...limits }),
      from,
      to: join(directory, "made"),
      asked: () =>
        readFileSync(join(directory, "asked"), "utf8")
          .trim()
          .split("\n")
          .map((line): ReadonlyArray<string> => JSON.parse(line))
    }
  }

  test("reads no file except the given one, and no formats except those of videos", async () => {
    const { asked, from, to, tools } = fake(10)
    const probe = await run(tools.probe(from))
    await run(tools.still(from, to, probe))
    await run(tools.playable(from, to, probe, maxSeconds))
    await run(tools.sound(from, to, maxSeconds))
    expect(asked()).toHaveLength(4)
    for (const args of asked()) {
      const input = args.indexOf("-i")
      expect(args.slice(input - 4, input + 2)).toEqual([
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        expect.stringMatching(/^mov,mp4,.*webm$/),
        "-i",
        from
      ])
    }
    for (const args of asked().slice(1)) {
      expect(args.at(-1)).toBe(to)
      expect(args).toContain("-nostdin")
      expect(args[args.indexOf("-fs") + 1]).toBe("1000000")
    }
  })

  test("copies streams that play everywhere, and converts others", async () => {
    const { asked, from, to, tools } = fake(10)
    const probe = await run(tools.probe(from))
    expect(await run(tools.playable(from, to, probe, maxSeconds))).toBe(true)
    expect(await run(tools.playable(from, to, { ...probe, playsEverywhere: false }, maxSeconds))).toBe(true)
    const [, copy, anew] = asked()
    expect(copy?.join(" ")).toContain("-c copy -t 61 -movflags +faststart")
    expect(anew?.join(" ")).toMatch(/-c:v libx264 .* -c:a aac .* -movflags \+faststart/)
    writeFileSync(from, Buffer.concat([box("ftyp", 24), box("moov", 40)]))
    expect(await run(tools.playable(from, to, probe, maxSeconds))).toBe(false)
    expect(asked()).toHaveLength(3)
  })

  test("fails if its output is empty or has the maximum size, because it is incomplete", async () => {
    for (const bytes of [0, limits.maxFileBytes]) {
      const { from, to, tools } = fake(bytes)
      const failed = await run(Effect.flip(tools.sound(from, to, maxSeconds)))
      expect(failed.message).toMatch(bytes === 0 ? /wrote nothing$/ : /reached 1000000 bytes$/)
    }
  })

  test("fails if the output of ffprobe is unreadable", async () => {
    const { from, tools } = fake(1, "nothing")
    expect((await run(Effect.flip(tools.probe(from)))).message).toMatch(/wrote unreadable output/)
  })
})

/** What is made here with the real ones is what the fakes above stand for. */
if (spawnSync("ffmpeg", ["-version"]).status === 0 && spawnSync("ffprobe", ["-version"]).status === 0) {
  describe("The ffmpeg of this machine", () => {
    const tools = makeVideoTools({ ffmpeg: "ffmpeg", ...limits })

    const encodedVideos = new Map<string, Buffer>()

    /** Two seconds of a test picture with a tone. */
    const aVideo = (directory: string, name: string, ...codecs: ReadonlyArray<string>) => {
      const path = join(directory, name)
      const key = [extname(name), ...codecs].join(" ")
      const known = encodedVideos.get(key)
      if (known !== undefined) {
        writeFileSync(path, known)
        return path
      }
      const source = ["-f", "lavfi", "-i", "testsrc=d=2:s=321x241:r=5", "-f", "lavfi", "-i", "sine=d=2"]
      const made = spawnSync("ffmpeg", ["-v", "error", "-y", ...source, ...codecs, path], { encoding: "utf8" })
      expect(made.stderr).toBe("")
      encodedVideos.set(key, readFileSync(path))
      return path
    }

    // libvpx's threads wait busily for each other.
    const vp8 = ["-c:v", "libvpx", "-deadline", "realtime", "-threads", "1"]
    const webm = [...vp8, "-c:a", "libopus"]

    test("makes a playable video, a still, and the audio of a WebM", async () => {
      const directory = aDirectory()
      const from = aVideo(directory, "v.webm", ...webm)
      const probe = await run(tools.probe(from))
      expect(probe).toMatchObject({ hasVideo: true, hasAudio: true, playsEverywhere: false })
      expect(Math.round(probe.durationSeconds ?? 0)).toBe(2)
      const [playable, still, sound] = ["p.mp4", "s.jpg", "s.m4a"].map((name) => join(directory, name))
      expect(await run(tools.playable(from, playable!, probe, maxSeconds))).toBe(true)
      expect(await run(tools.probe(playable!))).toMatchObject({ playsEverywhere: true, hasAudio: true })
      expect(await startsFast(playable!)).toBe(true)
      await run(tools.still(from, still!, probe))
      expect(readFileSync(still!).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
      await run(tools.sound(from, sound!, maxSeconds))
      expect(await run(tools.probe(sound!))).toMatchObject({ hasVideo: false, hasAudio: true })
      expect(statSync(sound!).size).toBeLessThan(30_000)
    })

    test("gives a WebM that was streamed, as recorders write it, a length and an index at the front", async () => {
      const directory = aDirectory()
      const source = ["-f", "lavfi", "-i", "testsrc=d=2:s=320x240:r=5", "-f", "lavfi", "-i", "sine=d=2"]
      const live = spawnSync("ffmpeg", ["-v", "error", ...source, ...webm, "-live", "1", "-f", "webm", "-"])
      const from = join(directory, "live.webm")
      writeFileSync(from, live.stdout)
      const probe = await run(tools.probe(from))
      expect(probe).toMatchObject({ durationSeconds: null, hasVideo: true, hasAudio: true, playsEverywhere: false })
      const to = join(directory, "playable.mp4")
      expect(await run(tools.playable(from, to, probe, maxSeconds))).toBe(true)
      const made = await run(tools.probe(to))
      expect(made).toMatchObject({ playsEverywhere: true, hasAudio: true })
      expect(Math.round(made.durationSeconds ?? 0)).toBe(2)
      expect(await startsFast(to)).toBe(true)
      // A seek by the index ends at a frame near its time.
      const still = join(directory, "still.jpg")
      expect(spawnSync("ffmpeg", ["-v", "error", "-ss", "1.5", "-i", to, "-frames:v", "1", still]).status).toBe(0)
      expect(statSync(still).size).toBeGreaterThan(500)
    })

    const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -vf scale=320:240 -c:a aac".split(" ")
    const sizeOf = async (path: string) => (await run(tools.probe(path))).size

    test.each([
      ["mov", ["-movflags", "+faststart"], "copied"],
      ["mov", ["-movflags", "+faststart", "-brand", "qt  "], "copied"],
      ["3gp", ["-movflags", "+faststart"], "copied"],
      ["3g2", ["-movflags", "+faststart"], "copied"],
      ["mkv", [], "copied"],
      ["mp4", ["-movflags", "+faststart"], "kept"],
      ["avi", [], "encoded"],
      ["ts", [], "encoded"],
      ["flv", ["-ar", "44100"], "encoded"],
      ["wmv", ["-c:v", "wmv2", "-c:a", "wmav2"], "encoded"],
      ["mpg", ["-c:v", "mpeg2video", "-c:a", "mp2", "-r", "25"], "encoded"]
    ])("makes a playable MP4 of what can be uploaded: %s %j is %s", async (ending, options, how) => {
      const directory = aDirectory()
      const from = aVideo(directory, `v.${ending}`, ...h264, ...options)
      const probe = await run(tools.probe(from))
      expect(probe).toMatchObject({ hasVideo: true, hasAudio: true, playsEverywhere: how === "kept" })
      expect(probe.hasPlayableStreams ?? false).toBe(how === "copied")
      const to = join(directory, "playable.mp4")
      expect(await run(tools.playable(from, to, probe, maxSeconds))).toBe(how !== "kept")
      if (how === "kept") return
      expect(videoTypeOf(readFileSync(to).subarray(0, videoHeadBytes))).toBe("video/mp4")
      const made = await run(tools.probe(to))
      expect(made).toMatchObject({ playsEverywhere: true, hasAudio: true })
      expect(Math.round(made.durationSeconds ?? 0)).toBe(2)
    })

    test("reads Ogg with Theora", async () => {
      const directory = aDirectory()
      const encoders = spawnSync("ffmpeg", ["-hide_banner", "-encoders"], { encoding: "utf8" }).stdout
      if (!/libtheora/.test(encoders)) return
      const from = aVideo(directory, "v.ogv", "-c:v", "libtheora", "-c:a", "libvorbis")
      const to = join(directory, "playable.mp4")
      expect(await run(tools.playable(from, to, await run(tools.probe(from)), maxSeconds))).toBe(true)
      expect(await run(tools.probe(to))).toMatchObject({ playsEverywhere: true })
    })

    test("keeps the shape of pictures whose pixels are not square", async () => {
      const directory = aDirectory()
      const wide = [...vp8, "-vf", "scale=160:240,setsar=2"]
      const from = aVideo(directory, "wide.mkv", ...wide, "-c:a", "libopus")
      const probe = await run(tools.probe(from))
      const [playable, still, joined, cut] = ["p.mp4", "s.jpg", "j.mp4", "c.mp4"].map((name) => join(directory, name))
      await run(tools.playable(from, playable!, probe, maxSeconds))
      await run(tools.still(from, still!, probe))
      await run(tools.joined([{ path: playable!, probe: await run(tools.probe(playable!)) }], joined!, maxSeconds))
      await run(tools.trimmed(from, cut!, { startSeconds: 0.5, endSeconds: 1.5 }, probe))
      for (const path of [playable!, joined!, cut!]) expect(await sizeOf(path)).toEqual({ width: 320, height: 240 })
      const show = ["-v", "error", "-show_entries", "stream=width,height,sample_aspect_ratio", "-of", "csv=p=0"]
      for (const path of [playable!, still!, joined!, cut!]) {
        expect(spawnSync("ffprobe", [...show, path], { encoding: "utf8" }).stdout.trim()).toMatch(
          /^320,240,(1:1|N\/A)$/
        )
      }
    })

    test("makes of a truncated MP4 one whose length is that of what plays", async () => {
      const directory = aDirectory()
      const whole = aVideo(directory, "whole.mp4", ...h264, "-g", "1", "-movflags", "+faststart")
      const from = join(directory, "cut.mp4")
      const bytes = readFileSync(whole)
      writeFileSync(from, bytes.subarray(0, Math.floor(bytes.length * 0.6)))
      const probe = await run(tools.probe(from))
      expect(probe).toMatchObject({ playsEverywhere: true })
      const to = join(directory, "playable.mp4")
      expect(await run(tools.playable(from, to, probe, maxSeconds))).toBe(true)
      const { durationSeconds } = await run(tools.probe(to))
      expect(durationSeconds).toBeGreaterThan(0.5)
      expect(durationSeconds).toBeLessThan(1.7)
      expect(await startsFast(to)).toBe(true)
    })

    test("joins videos of other sizes and without sound into one of the first's size", async () => {
      const directory = aDirectory()
      const first = aVideo(directory, "first.webm", ...webm)
      const silent = aVideo(directory, "silent.webm", "-an", "-vf", "scale=200:300", ...vp8)
      const videos = await Promise.all(
        [first, silent, first].map(async (path) => ({ path, probe: await run(tools.probe(path)) }))
      )
      const to = join(directory, "joined.mp4")
      await run(tools.joined(videos, to, maxSeconds))
      const probe = await run(tools.probe(to))
      expect(probe).toMatchObject({ size: { width: 320, height: 240 }, hasAudio: true, playsEverywhere: true })
      expect(Math.round(probe.durationSeconds ?? 0)).toBe(6)
      expect(await startsFast(to)).toBe(true)
      await run(tools.joined([videos[1]!, videos[1]!], to, maxSeconds))
      expect(await run(tools.probe(to))).toMatchObject({ size: { width: 400, height: 300 }, hasAudio: false })
    })

    test("cuts without loss at a key frame, and to a tenth of a second where none is near", async () => {
      const directory = aDirectory()
      const codecs = [
        "-c:v",
        "libx264",
        "-preset",
        "ultrafast",
        "-pix_fmt",
        "yuv420p",
        "-g",
        "5",
        "-vf",
        "scale=320:240"
      ]
      const from = aVideo(directory, "v.mp4", ...codecs, "-c:a", "aac")
      const probe = await run(tools.probe(from))
      const packets = (path: string, entry: "pts_time" | "size") => {
        const options = ["-v", "error", "-select_streams", "v", "-show_entries", `packet=${entry}`, "-of", "csv=p=0"]
        return spawnSync("ffprobe", [...options, path], { encoding: "utf8" })
          .stdout.trim()
          .split("\n")
          .map(Number)
      }
      const sizes = new Set(packets(from, "size").slice(1))
      for (const [startSeconds, endSeconds, isCopied] of [
        [0.95, 1.95, true],
        [0, 1, true],
        [0.5, 1.7, false]
      ] as const) {
        const to = join(directory, `${startSeconds}.mp4`)
        await run(tools.trimmed(from, to, { startSeconds, endSeconds }, probe))
        const cut = await run(tools.probe(to))
        expect(cut).toMatchObject({ playsEverywhere: true, hasAudio: true })
        expect(Math.abs((cut.durationSeconds ?? 0) - (endSeconds - startSeconds))).toBeLessThan(0.3)
        expect(Math.abs(packets(to, "pts_time")[0] ?? 9)).toBeLessThan(0.1)
        expect(await startsFast(to)).toBe(true)
        expect(
          packets(to, "size")
            .slice(1)
            .every((size) => sizes.has(size))
        ).toBe(isCopied)
      }
      const recorded = aVideo(directory, "v.webm", ...webm)
      const to = join(directory, "of-webm.mp4")
      await run(tools.trimmed(recorded, to, { startSeconds: 0.4, endSeconds: 1.6 }, await run(tools.probe(recorded))))
      const cut = await run(tools.probe(to))
      expect(cut.playsEverywhere).toBe(true)
      expect(Math.abs((cut.durationSeconds ?? 0) - 1.2)).toBeLessThan(0.25)
    })

    test("moves the index of an MP4 to its start, and keeps a file that has it there", async () => {
      const directory = aDirectory()
      const from = aVideo(
        directory,
        "v.mp4",
        "-vf",
        "crop=320:240",
        "-pix_fmt",
        "yuv420p",
        "-c:v",
        "libx264",
        "-c:a",
        "aac"
      )
      const to = join(directory, "p.mp4")
      const probe = await run(tools.probe(from))
      expect(probe.playsEverywhere).toBe(true)
      expect(await run(tools.playable(from, to, probe, maxSeconds))).toBe(true)
      expect(await run(tools.playable(to, from, probe, maxSeconds))).toBe(false)
    })

    test.each([
      ["a playlist that names another file", "#EXTM3U\n#EXTINF:1,\nv.mp4\n"],
      ["a list of files", "ffconcat version 1.0\nfile v.mp4\n"],
      ["an address", "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/\n"],
      ["no video", "sixteen bytes!!!"]
    ])("does not read %s", async (_, text) => {
      const directory = aDirectory()
      const video = aVideo(directory, "v.mp4", "-c:v", "libx264", "-c:a", "aac")
      const from = join(directory, "original")
      writeFileSync(from, text)
      copyFileSync(video, join(directory, "copy.mp4"))
      const to = join(directory, "made.mp4")
      const probe = { durationSeconds: 1, hasVideo: true, size: null, hasAudio: true, playsEverywhere: false }
      expect((await run(Effect.flip(tools.probe(from)))).reason).toBe("failed")
      expect((await run(Effect.flip(tools.playable(from, to, probe, maxSeconds)))).reason).toBe("failed")
      expect(existsSync(to)).toBe(false)
    })
  })
}
