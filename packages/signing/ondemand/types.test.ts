import { join } from "node:path"
import { expect, test } from "vitest"
import { packageDirectory, run } from "../test/support/run.ts"

test("the adapters fit the frameworks' types, as the tests of this folder use them", async () => {
  const typecheck = join(packageDirectory, "../../tooling/checks/src/typecheck.ts")
  expect(await run(process.execPath, [typecheck], { cwd: import.meta.dirname })).toBe("")
})
