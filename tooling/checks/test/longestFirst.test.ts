import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { LongestFirst } from "@tapedeck/tsconfig/LongestFirst.ts"
import { expect, onTestFinished, test } from "vitest"
import type { TestSpecification } from "vitest/node"

test("files that say that they take long start first, and the others in vitest's order", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-order-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const texts = {
    "small.test.ts": "",
    "large.test.ts": "// Its size counts where no durations are known.".repeat(9),
    "said.test.ts": "import {} from 'vitest'\n// Takes long: starts first.\n",
    "long.test.ts": "// Takes long: starts first.\n"
  }
  const project = { name: "", config: { isolate: false, sequence: { groupOrder: 0 } } }
  const files = Object.entries(texts).map(([name, text]) => {
    const moduleId = join(folder, name)
    writeFileSync(moduleId, text)
    return { moduleId, project } as TestSpecification
  })
  const context = { cache: { getTestSpecificationResult: () => undefined } }
  const sorted = await new LongestFirst(context as never).sort(files)
  expect(sorted.map(({ moduleId }) => basename(moduleId))).toEqual([
    "long.test.ts",
    "large.test.ts",
    "said.test.ts",
    "small.test.ts"
  ])
})
