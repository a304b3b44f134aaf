import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { subjects } from "../../src/blackbox/targets.ts"

test("each subject of src/blackbox has a test file here", () => {
  const files = readdirSync(import.meta.dirname).map((file) => file.replace(".test.ts", ""))
  expect(files.filter((name) => name !== "subjects").toSorted()).toEqual(subjects.toSorted())
})
