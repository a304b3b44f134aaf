import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source", "node"] } },
  // The first test loads the emulator.
  test: { include: ["**/unusedFaults.ts"], testTimeout: 300_000 }
})
