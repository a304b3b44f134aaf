import { spawnSync } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { type EmptyProject, emptyProject, root } from "./emptyProject.ts"

// The conformance suite of a store as it is published, in a project that has nothing else.

let made: EmptyProject | undefined

beforeAll(async () => {
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8"))
  made = await emptyProject(["domain", "core", "testkit"], {
    dependencies: { effect: catalog.effect, vitest: catalog.vitest },
    settings: { strictPeerDependencies: true }
  })
})

afterAll(() => made?.remove())

test("the example in the README of testkit tests a store outside this repository", async () => {
  await writeFile(join(made!.path, "store.test.ts"), readFence("packages/testkit/README.md", "ts"))
  const env = { ...process.env, NO_COLOR: "1", VITEST: "" }
  const vitest = join(made!.path, "node_modules/.bin/vitest")
  const { status, stdout } = spawnSync(vitest, ["run", "--reporter", "verbose"], {
    cwd: made!.path,
    env,
    encoding: "utf8"
  })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/Tests +\d{3} passed \| \d+ skipped/)])
  expect(stdout).toContain("[untested: the store is given without reopen]")
})
