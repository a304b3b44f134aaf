import { expect, test } from "vitest"
import { checkExamples, examples, filesOf } from "../src/examples/examples.ts"

test("the examples of CONTRIBUTING.md apply to this tree; if not, make them anew (`pnpm examples` tries them)", () => {
  expect(checkExamples).not.toThrow()
})

test.each(examples)("$name: takes at most $maxFiles files", (example) => {
  const { length } = filesOf(example)
  expect(length).toBeGreaterThan(2)
  expect(length).toBeLessThanOrEqual(example.maxFiles)
})
