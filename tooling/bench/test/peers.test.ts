import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { expect, it } from "vitest"

it("the peers' programs compile with the types of their imports", async () => {
  const ondemand = join(import.meta.dirname, "../ondemand")
  installOnDemand(ondemand)
  const typecheck = join(import.meta.dirname, "../../checks/src/typecheck.ts")
  const { stdout } = await promisify(execFile)(process.execPath, [typecheck], { cwd: ondemand })
  expect(stdout).toBe("")
})
