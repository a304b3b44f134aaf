import { defineConfig } from "vitest/config"

const conditions = ["source"]

/**
 * Every package's vitest settings: workspace packages by their source, and a report that the root test command adds up.
 * The test files of a worker share what they import, because loading it takes longer than running them: a file restores
 * what it changes.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    passWithNoTests: true,
    isolate: false,
    testTimeout: 60_000,
    // Hooks start servers, databases and browsers.
    hookTimeout: 60_000,
    reporters: ["default", ["json", { outputFile: ".reports/vitest.json" }]]
  }
})
