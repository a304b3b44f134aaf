import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { expect, test } from "vitest"
import { captures } from "../src/crash/capture/captures.ts"
import { framesOf, lostMsOf } from "../src/crash/capture/frames.ts"

const isThere = [chromiumPath, "/usr/bin/ffmpeg"].every((program) => existsSync(program))

test("the longest time without a frame of the video is what it lacks", () => {
  expect(lostMsOf([0, 100, 200, 300, 400, 500], [0, 100, 400, 500])).toBe(100)
  expect(lostMsOf([0, 100, 200, 300, 400, 500], [0, 100])).toBe(400)
  expect(lostMsOf([0, 100], [])).toBe(Infinity)
})

test.skipIf(!isThere)("a video whose frames have no numbers is refused", async () => {
  const pattern = ["-f", "lavfi", "-i", "testsrc=size=384x180:duration=1:rate=5"]
  const video = execFileSync("ffmpeg", ["-v", "error", ...pattern, "-f", "webm", "pipe:1"])
  await expect(framesOf(video)).rejects.toThrow(/^frame 0 of the video has no number: /)
})

test.skipIf(!isThere)(
  "each frame that a browser kept is in the recording after its browser, its server, and its tab and server are killed",
  async () => {
    const seed = 20_261_126
    const { faults, runs } = await captures({ seed, runs: 3 })
    expect(faults, `npx pnpm test:capture --runs 3 --seed ${seed}`).toEqual([])
    expect(runs).toEqual({ "killed browser": 1, "killed server": 1, "killed server and tab": 1 })
  }
)
