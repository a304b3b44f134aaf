import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { captures } from "../src/crash/capture/captures.ts"

const isThere = ["/usr/bin/chromium", "/usr/bin/ffmpeg"].every((program) => existsSync(program))

test.skipIf(!isThere)(
  "each frame that a browser kept is in the recording after its browser, its server, and its tab and server are killed",
  async () => {
    const seed = 20_261_126
    const { faults, runs } = await captures({ seed, runs: 3 })
    expect(faults, `npx pnpm test:capture --runs 3 --seed ${seed}`).toEqual([])
    expect(runs).toEqual({ "killed browser": 1, "killed server": 1, "killed server and tab": 1 })
  }
)
