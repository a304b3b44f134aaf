import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { readProbe, startsFast } from "../../src/media/probe.ts"
import { makeVideoTools } from "../../src/media/VideoTools.ts"
import { aDirectory, aProgram } from "./programs.ts"

const limits = { timeoutMs: 60_000, maxFileBytes: 1_000_000, passEnvironment: [] }

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

const h264 = { codec_type: "video", codec_name: "h264", pix_fmt: "yuv420p" }
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

describe("What ffprobe tells", () => {
  test("is the length, and whether every browser plays it", () => {
    expect(probed(mp4, [h264, aac])).toEqual({
      durationSeconds: 61.4,
      hasVideo: true,
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

  test("may lack the length, or be the streams' alone; what is none of it is not taken", () => {
    expect(probed({ format_name: "matroska,webm" }, [{ codec_type: "video" }])?.durationSeconds).toBeNull()
    expect(probed({ ...mp4, duration: "N/A" }, [{ ...h264, duration: "7.5" }])?.durationSeconds).toBe(7.5)
    expect(readProbe("{}")).toBeUndefined()
    expect(readProbe("no JSON")).toBeUndefined()
  })

  test("does not say whether an MP4 plays while it loads: its boxes do", async () => {
    const path = join(aDirectory(), "v")
    const long = box("mdat", 32)
    long.writeUInt32BE(1, 0)
    long.writeBigUInt64BE(32n, 8)
    for (const [boxes, isFast] of [
      [[box("ftyp", 24), box("moov", 40), box("mdat", 16)], true],
      [[box("ftyp", 24), box("free", 16), box("mdat", 16), box("moov", 40)], false],
      [[box("ftyp", 24), long, box("moov", 40)], false],
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

  test("reads no other file than the one it is given, in no other format than videos have", async () => {
    const { asked, from, to, tools } = fake(10)
    const probe = await run(tools.probe(from))
    await run(tools.still(from, to, probe))
    await run(tools.playable(from, to, probe))
    await run(tools.sound(from, to))
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

  test("copies what plays everywhere already, and makes anew what does not", async () => {
    const { asked, from, to, tools } = fake(10)
    const probe = await run(tools.probe(from))
    expect(await run(tools.playable(from, to, probe))).toBe(true)
    expect(await run(tools.playable(from, to, { ...probe, playsEverywhere: false }))).toBe(true)
    const [, copy, anew] = asked()
    expect(copy?.join(" ")).toContain("-c copy -movflags +faststart")
    expect(anew?.join(" ")).toMatch(/-c:v libx264 .* -c:a aac .* -movflags \+faststart/)
    writeFileSync(from, Buffer.concat([box("ftyp", 24), box("moov", 40)]))
    expect(await run(tools.playable(from, to, probe))).toBe(false)
    expect(asked()).toHaveLength(3)
  })

  test("that makes nothing, or as much as it may, has failed: the file is not whole", async () => {
    for (const bytes of [0, limits.maxFileBytes]) {
      const { from, to, tools } = fake(bytes)
      const failed = await run(Effect.flip(tools.sound(from, to)))
      expect(failed.message).toMatch(bytes === 0 ? /made nothing$/ : /reached 1000000 bytes$/)
    }
  })

  test("that tells nothing that can be read has failed", async () => {
    const { from, tools } = fake(1, "nothing")
    expect((await run(Effect.flip(tools.probe(from)))).message).toMatch(/told nothing that can be read/)
  })
})

/** What is made here with the real ones is what the fakes above stand for. */
if (spawnSync("ffmpeg", ["-version"]).status === 0 && spawnSync("ffprobe", ["-version"]).status === 0) {
  describe("The ffmpeg of this machine", () => {
    const tools = makeVideoTools({ ffmpeg: "ffmpeg", ...limits })

    /** Two seconds of a test picture with a tone. */
    const aVideo = (directory: string, name: string, ...codecs: ReadonlyArray<string>) => {
      const path = join(directory, name)
      const source = ["-f", "lavfi", "-i", "testsrc=d=2:s=321x241:r=5", "-f", "lavfi", "-i", "sine=d=2"]
      const made = spawnSync("ffmpeg", ["-v", "error", "-y", ...source, ...codecs, path], { encoding: "utf8" })
      expect(made.stderr).toBe("")
      return path
    }

    test("makes of a WebM what every browser plays, a still, and the sound alone", async () => {
      const directory = aDirectory()
      const from = aVideo(directory, "v.webm", "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus")
      const probe = await run(tools.probe(from))
      expect(probe).toMatchObject({ hasVideo: true, hasAudio: true, playsEverywhere: false })
      expect(Math.round(probe.durationSeconds ?? 0)).toBe(2)
      const [playable, still, sound] = ["p.mp4", "s.jpg", "s.m4a"].map((name) => join(directory, name))
      expect(await run(tools.playable(from, playable!, probe))).toBe(true)
      expect(await run(tools.probe(playable!))).toMatchObject({ playsEverywhere: true, hasAudio: true })
      expect(await startsFast(playable!)).toBe(true)
      await run(tools.still(from, still!, probe))
      expect(readFileSync(still!).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
      await run(tools.sound(from, sound!))
      expect(await run(tools.probe(sound!))).toMatchObject({ hasVideo: false, hasAudio: true })
      expect(statSync(sound!).size).toBeLessThan(30_000)
    })

    test("puts the index of an MP4 first, and leaves one alone that has it there", async () => {
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
      expect(await run(tools.playable(from, to, probe))).toBe(true)
      expect(await run(tools.playable(to, from, probe))).toBe(false)
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
      const probe = { durationSeconds: 1, hasVideo: true, hasAudio: true, playsEverywhere: false }
      expect((await run(Effect.flip(tools.probe(from)))).reason).toBe("failed")
      expect((await run(Effect.flip(tools.playable(from, to, probe)))).reason).toBe("failed")
      expect(existsSync(to)).toBe(false)
    })
  })
}
