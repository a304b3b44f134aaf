import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { maxPicturePixels, maxSidePixels, pictureProblem } from "../../src/media/limits.ts"
import { makeVideoTools } from "../../src/media/VideoTools.ts"
import { aDirectory } from "./programs.ts"

const limits = { maxFileBytes: 1_000_000, maxMemoryBytes: 2 * 1024 ** 3, passEnvironment: [] }

const maxSeconds = 60

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

if (spawnSync("ffmpeg", ["-version"]).status === 0 && spawnSync("ffprobe", ["-version"]).status === 0) {
  describe("The ffmpeg of this machine", () => {
    const tools = makeVideoTools({ ffmpeg: "ffmpeg", ...limits })

    /** A test picture with a tone. */
    const aVideo = (directory: string, name: string, seconds: number, ...codecs: ReadonlyArray<string>) => {
      const path = join(directory, name)
      const source = [
        "-f",
        "lavfi",
        "-i",
        `testsrc=d=${seconds}:s=320x240:r=5`,
        "-f",
        "lavfi",
        "-i",
        `sine=d=${seconds}`
      ]
      expect(spawnSync("ffmpeg", ["-v", "error", "-y", ...source, ...codecs, path]).status).toBe(0)
      return path
    }

    /** Two large pictures that cost few bytes. */
    const aHugeVideo = (directory: string, width: number, height: number) => {
      const path = join(directory, "huge.mp4")
      const picture = ["-f", "lavfi", "-i", `color=c=gray:s=${width}x${height}:r=10:d=0.2`]
      const codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-threads", "1", "-pix_fmt", "yuv420p"]
      expect(spawnSync("ffmpeg", ["-v", "error", "-y", ...picture, ...codecs, path]).status).toBe(0)
      return path
    }

    test("joins no larger picture than it makes of one video, whatever size the first has", async () => {
      const directory = aDirectory()
      const huge = aHugeVideo(directory, 4096, 2160)
      // Short, because each of its pictures becomes as large as the first video's.
      const small = aVideo(directory, "small.mp4", 0.2, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")
      const videos = await Promise.all(
        [huge, small].map(async (path) => ({ path, probe: await run(tools.probe(path)) }))
      )
      const to = join(directory, "joined.mp4")
      await run(tools.joined(videos, to, maxSeconds))
      expect((await run(tools.probe(to))).size).toEqual({ width: 1920, height: 1012 })
      expect(readdirSync(directory).toSorted()).toEqual(["huge.mp4", "joined.mp4", "small.mp4"])
    })

    test("works on the largest picture within the memory that it has by default, and not without it", async () => {
      const directory = aDirectory()
      const from = aHugeVideo(directory, maxSidePixels, maxPicturePixels / maxSidePixels)
      const probe = await run(tools.probe(from))
      expect(pictureProblem(probe)).toBeUndefined()
      const to = join(directory, "p.mp4")
      expect(await run(tools.playable(from, to, { ...probe, playsEverywhere: false }, maxSeconds))).toBe(true)
      const poor = makeVideoTools({ ffmpeg: "ffmpeg", ...limits, maxMemoryBytes: 400 * 1024 ** 2 })
      const failed = await run(Effect.flip(poor.playable(from, to, { ...probe, playsEverywhere: false }, maxSeconds)))
      expect(failed).toMatchObject({
        reason: "beyond_limit",
        message: expect.stringMatching(/more than 419430400 bytes of memory \(media_memory\)$/)
      })
    })

    test("finds the longest pause of a sound, and takes a range of it as it is", async () => {
      const directory = aDirectory()
      const from = join(directory, "s.m4a")
      // Silent from 3 s to 3.4 s, and from 5 s to 6 s.
      const tone = "aevalsrc='0.5*sin(2000*t)*(1-between(t,3,3.4))*(1-between(t,5,6))':d=10:s=16000"
      const encoded = ["-f", "lavfi", "-i", tone, "-c:a", "aac", "-b:a", "48k"]
      expect(spawnSync("ffmpeg", ["-v", "error", "-y", ...encoded, from]).status).toBe(0)
      for (const [startSeconds, endSeconds, middle] of [
        [2, 8, 5.5],
        [1, 4.5, 3.2]
      ] as const) {
        const pause = await run(tools.pauseIn(from, { startSeconds, endSeconds }))
        expect(Math.abs((pause ?? 0) - middle)).toBeLessThan(0.15)
      }
      expect(await run(tools.pauseIn(from, { startSeconds: 7, endSeconds: 9 }))).toBeUndefined()
      const to = join(directory, "part.m4a")
      await run(tools.soundPart(from, to, { startSeconds: 2, endSeconds: 5.5 }))
      expect(Math.abs(((await run(tools.probe(to))).durationSeconds ?? 0) - 3.5)).toBeLessThan(0.2)
    })

    test("decodes no picture beyond the limit, also where the size changes after the start", async () => {
      const from = aHugeVideo(aDirectory(), maxSidePixels + 16, maxPicturePixels / maxSidePixels)
      const probe = { ...(await run(tools.probe(from))), playsEverywhere: false }
      const failed = await run(Effect.flip(tools.playable(from, `${from}.mp4`, probe, maxSeconds)))
      expect(failed.message).toMatch(/is beyond a limit: a picture has more than 35389440 pixels$/)
    })

    test("makes nothing that is more than a second longer than the limit, whatever the file states", async () => {
      const directory = aDirectory()
      // libvpx's threads wait busily for each other.
      const vp8 = ["-c:v", "libvpx", "-deadline", "realtime", "-threads", "1"]
      const from = aVideo(directory, "v.webm", 2, ...vp8, "-c:a", "libopus")
      const probe = await run(tools.probe(from))
      const [playable, sound, joined] = ["p.mp4", "s.m4a", "j.mp4"].map((name) => join(directory, name))
      await run(tools.playable(from, playable!, probe, 0.5))
      await run(tools.sound(from, sound!, 0.5))
      await run(
        tools.joined(
          [
            { path: from, probe },
            { path: from, probe }
          ],
          joined!,
          0.5
        )
      )
      for (const path of [playable!, sound!, joined!]) {
        const { durationSeconds } = await run(tools.probe(path))
        expect(durationSeconds).toBeGreaterThan(1.3)
        expect(durationSeconds).toBeLessThan(1.8)
      }
    })
  })
}
