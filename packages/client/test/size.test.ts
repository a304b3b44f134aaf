import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { expect, it } from "vitest"

const source = (path: string) => join(import.meta.dirname, "..", path)

// 1.2 kB of it read what other services and proxies write: HTTP dates, file names, redirects, and pages that do not advance or
// lose records. An operation takes about 45 bytes: the limit grows with the API.
it("the client is at most 10.4 kB, minified and gzipped, without @tapedeck/signing, which unwrap loads when it is called", async () => {
  const bundle = await rolldown({
    input: source("src/index.ts"),
    platform: "browser",
    external: ["@tapedeck/signing"],
    resolve: { conditionNames: ["source", "import"] }
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  const sizeBytes = output.reduce((sum, file) => sum + gzipSync("code" in file ? file.code : file.source).length, 0)
  expect(output).toHaveLength(1)
  expect(sizeBytes).toBeGreaterThan(4000)
  expect(sizeBytes).toBeLessThanOrEqual(10_400)
})
