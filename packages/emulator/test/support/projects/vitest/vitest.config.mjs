import { defineConfig } from "vitest/config"
import { fixtures } from "../fixtures.mjs"

export default defineConfig({
  test: {
    include: ["*.test.{mjs,ts}"],
    setupFiles: ["@tapedeck/emulator/vitest"],
    provide: { worldOptions: { fixtures } },
    // All files in one worker.
    isolate: false,
    maxWorkers: 1,
    // vitest 3 asks for both.
    minWorkers: 1
  }
})
