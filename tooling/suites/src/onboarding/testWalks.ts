import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { packHelper } from "../release/helperFiles.ts"
import { version } from "../release/version.ts"
import { root } from "../release/Workplace.ts"
import { expectText, missingProgram, type Walk } from "./Walk.ts"

/** The name under which a page tells to save its test. */
const savedAs = (page: string): string =>
  expectText(readFileSync(join(root, page), "utf8"), /Save\s+this\s+test\s+as\s+`([\w.]+)`/)[1] as string

export const vitestWalk: Walk = {
  title: "The emulator in a vitest suite",
  pages: ["docs/testing.md"],
  maxMinutes: 3,
  walk: async ({ emptyDirectory, run }, step) => {
    const cwd = await emptyDirectory("vitest")
    await step("install", () => run(readFence("docs/testing.md", "sh", "npm install"), { cwd }))
    await writeFile(join(cwd, savedAs("docs/testing.md")), readFence("docs/testing.md", "ts"))
    const output = await step("run", () => run(readFence("docs/testing.md", "sh", "npx vitest run"), { cwd }))
    expectText(output, /Tests +1 passed/)
  }
}

export const pytestWalk: Walk = {
  title: "The emulator in pytest",
  pages: ["clients/python/README.md"],
  maxMinutes: 5,
  missing: () => missingProgram("python3", "-m", "venv", "--help"),
  walk: async ({ emptyDirectory, run }, step) => {
    const cwd = await emptyDirectory("pytest")
    // The reader's download.
    packHelper("python", version, { out: cwd, time: 1_700_000_000 })
    // A Python without packages.
    await run("python3 -m venv .venv", { cwd })
    const path = [join(cwd, ".venv/bin")]
    await step("install", () => run(readFence("clients/python/README.md", "sh", "pip install"), { cwd, path }))
    await writeFile(join(cwd, savedAs("clients/python/README.md")), readFence("clients/python/README.md", "python"))
    const output = await step("run", () =>
      run(readFence("clients/python/README.md", "sh", "pytest test_"), { cwd, path })
    )
    expectText(output, /2 passed/)
  }
}
