import { defineConfig } from "vitest/config"

const conditions = ["source"]

/** Every package's vitest settings: workspace packages by their source, and a report that the root test command adds up. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    passWithNoTests: true,
    testTimeout: 60_000,
    reporters: ["default", ["json", { outputFile: ".reports/vitest.json" }]]
  }
})
