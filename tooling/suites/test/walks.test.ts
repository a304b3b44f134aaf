import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { deliveryWalk, listWalk } from "../src/walks/walks.ts"

/** docs/architecture.md says how many source files a list and a delivery execute: `npx pnpm walks` prints them. */
const architecture = readFileSync(new URL("../../../docs/architecture.md", import.meta.url), "utf8")

const documented = (pattern: RegExp): number => Number(pattern.exec(architecture)?.[1])

test("a list request executes as many source files as the architecture page says", async () => {
  const files = await listWalk()
  expect(files).toContain("packages/http/src/pipeline/pipeline.ts")
  expect(files).toHaveLength(documented(/A list executes (\d+) source files/))
})

test("a delivery executes as many source files as the architecture page says", async () => {
  const files = await deliveryWalk()
  expect(files).toContain("packages/dispatcher/src/attempt.ts")
  const count = documented(/A delivery executes (\d+) source files/)
  expect(files.length, files.join("\n")).toBeGreaterThanOrEqual(count)
  // On a busy machine, work of the process's own may run beside every pass. More than this is too long a way.
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(60)
})
