import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { expect, onTestFinished, test } from "vitest"
import { updateTemporaryMetrics } from "../../src/observe/temporaryMetrics.ts"

test("tapedeck_temporary_bytes is the size of all files below tmp, whatever folders they are in, and 0 without it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-temporary-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "node", "uploads"), { recursive: true })
  writeFileSync(join(folder, "loose.part"), "12345")
  writeFileSync(join(folder, "node", "uploads", "one"), "1234567")
  const sizeOf = (path: string) =>
    Effect.runPromise(Effect.andThen(updateTemporaryMetrics(path), Effect.map(Effect.context<never>(), formatUnsafe)))
  expect(await sizeOf(folder)).toMatch(/^tapedeck_temporary_bytes 12$/m)
  expect(await sizeOf(join(folder, "none"))).toMatch(/^tapedeck_temporary_bytes 0$/m)
})
