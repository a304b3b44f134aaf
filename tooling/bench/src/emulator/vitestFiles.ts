import { execFile } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { interleave, timed } from "../measure.ts"
import { recordingBody, token, uuidOf, worldDocument } from "./fixtures.ts"

const files = 20
const ondemand = join(import.meta.dirname, "../../ondemand")

/**
 * What integrators wait for: the wall time of a vitest run of 20 files. Each file starts the emulator in process, loads three
 * recordings and reads two of them; or does the same with MSW.
 */
export const vitestFiles = (emulator: string, folder: string, rounds: number) => {
  const vitest = dirname(fileURLToPath(import.meta.resolve("vitest/package.json")))
  const ours = project(join(folder, "vitest-emulator"), emulatorTest, { "@tapedeck/emulator": emulator, vitest })
  const msw = join(ondemand, "node_modules/msw")
  const peer = project(join(folder, "vitest-msw"), mswTest, { msw, vitest })
  const run = (root: string) => () =>
    timed(() =>
      promisify(execFile)(process.execPath, [join(vitest, "vitest.mjs"), "run", "--root", root], { cwd: root })
    )
  return interleave({ vitest_files_ms: run(ours), vitest_files_msw_ms: run(peer) }, { rounds })
}

/** Writes the files and links the packages that they import. Returns the folder. */
const project = (folder: string, test: string, packages: Readonly<Record<string, string>>): string => {
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  for (let index = 0; index < files; index++) writeFileSync(join(folder, `file${index}.test.js`), test)
  return folder
}

const authorization = `{ headers: { authorization: "Bearer ${token}" } }`

const emulatorTest = `
import { startEmulator } from "@tapedeck/emulator"
import { afterAll, beforeAll, expect, test } from "vitest"

let emulator
beforeAll(async () => { emulator = await startEmulator({ fixtures: ${JSON.stringify(worldDocument(3))} }) })
afterAll(() => emulator.close())

test("reads two recordings", async () => {
  for (const uuid of ["${uuidOf(0)}", "${uuidOf(1)}"]) {
    const response = await emulator.fetch("/api/v2/recordings/" + uuid, ${authorization})
    expect((await response.json()).uuid).toBe(uuid)
  }
})
`

const mswTest = `
import { HttpResponse, http } from "msw"
import { setupServer } from "msw/node"
import { afterAll, beforeAll, expect, test } from "vitest"

const recordings = ${JSON.stringify([0, 1, 2].map((index) => recordingBody(uuidOf(index))))}
const server = setupServer(
  http.get("https://recordings.test/api/v2/recordings/:uuid", ({ params, request }) =>
    request.headers.get("authorization") === "Bearer ${token}"
      ? HttpResponse.json(recordings.find(({ uuid }) => uuid === params.uuid))
      : HttpResponse.json({ error: "Unauthorized" }, { status: 401 })
  )
)
beforeAll(() => server.listen())
afterAll(() => server.close())

test("reads two recordings", async () => {
  for (const uuid of ["${uuidOf(0)}", "${uuidOf(1)}"]) {
    const response = await fetch("https://recordings.test/api/v2/recordings/" + uuid, ${authorization})
    expect((await response.json()).uuid).toBe(uuid)
  }
})
`
