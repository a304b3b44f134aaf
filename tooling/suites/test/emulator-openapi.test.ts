import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Emulator } from "../src/support/emulator.ts"
import { bodyOf } from "../src/support/target.ts"

const emulator = new Emulator()
let folder: string
let redocly: string

beforeAll(async () => {
  const require = installOnDemand(join(import.meta.dirname, "../../../packages/contract/ondemand"))
  redocly = join(dirname(require.resolve("@redocly/cli/package.json")), "bin/cli.js")
  folder = await mkdtemp(join(tmpdir(), "tapedeck-openapi-"))
  await writeFile(join(folder, "redocly.yaml"), "extends: [recommended-strict]\n")
})
afterAll(async () => {
  await emulator.stop()
  await rm(folder, { recursive: true })
})

test.each(["/_emulator", "/api/v2", "/api/v1", "/api/settings"])(
  "the document at %s/openapi.json of a world has no finding of Redocly's recommended-strict rules",
  async (root) => {
    const { object } = await emulator.start({})
    const document = bodyOf(await emulator.fetch(`/worlds/${object.world}${root}/openapi.json`))
    await writeFile(join(folder, "openapi.json"), JSON.stringify(document))
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    const command = [redocly, "lint", "openapi.json", "--format=json"]
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env }).catch(
      (failed: { stdout: string }) => failed
    )
    expect((JSON.parse(stdout) as { problems: ReadonlyArray<unknown> }).problems).toEqual([])
  },
  60_000
)
