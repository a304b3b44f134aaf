import { defineConfig } from "vitest/config"
import { LongestFirst } from "./LongestFirst.ts"
import { faultPlugins } from "./plantedFault.ts"

const conditions = ["source"]

const plugins = faultPlugins()

/**
 * Every package's vitest settings: workspace packages by their source, and a report that the root test command adds up.
 * The test files of a worker share what they import, because loading it takes longer than running them: a file restores
 * what it changes.
 */
export default defineConfig({
  plugins,
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    passWithNoTests: true,
    // Node loads the sources as it does in production, in two thirds of the time that Vite needs. Vite plants faults.
    experimental: { viteModuleRunner: plugins.length > 0, nodeLoader: false },
    execArgv: ["--conditions=source"],
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // For what hangs: far beyond what takes longest on a loaded machine. Hooks start servers, databases and browsers.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Two packages are tested at a time.
    maxWorkers: "100%",
    reporters: ["default", ["json", { outputFile: ".reports/vitest.json" }]]
  }
})
