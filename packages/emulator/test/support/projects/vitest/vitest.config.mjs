import { defineConfig } from "vitest/config"
import { fixtures } from "../fixtures.mjs"

export default defineConfig({
  test: {
    include: ["*.test.mjs"],
    setupFiles: ["@tapedeck/emulator/vitest"],
    provide: { worldOptions: { fixtures } },
    // Both files in one worker.
    isolate: false,
    maxWorkers: 1
  }
})
