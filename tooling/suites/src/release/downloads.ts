import { cp } from "node:fs/promises"
import { join } from "node:path"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import type { Workplace } from "./Workplace.ts"

const system = `linux-${process.arch}`

/** Makes the files of the release on GitHub, for this system, and uses them as `docs/download.md` says. */
export async function* downloads({ copy, folder, run }: Workplace, version: string): AsyncGenerator<string> {
  if (process.platform !== "linux") {
    yield "the files of the release on GitHub are not tried: they are made on Linux"
    return
  }
  const local = { cwd: copy, env: { ...process.env, PATH: `${join(copy, "node_modules/.bin")}:${process.env.PATH}` } }
  const make = readFence("CONTRIBUTING.md", "sh", "release:files").replace("linux-x64", system)
  const made = [...(await run("sh", ["-euc", make], local)).matchAll(/\/dist\/release\/.* MB$/gm)]
  const files = join(folder, "downloads")
  await cp(join(copy, "dist/release"), files, { recursive: true })
  const stranger = { cwd: files }
  const checked = await run("sh", ["-euc", readFence("docs/download.md", "sh", "sha256sum")], stranger)
  const passed = [...checked.matchAll(/: OK$/gm)].length
  if (passed !== made.length) throw new Error(`SHA256SUMS has ${passed} of ${made.length} files`)
  yield `release:files makes ${made.length} files of the release on GitHub; SHA256SUMS fits them`

  const unpack = readFence("docs/download.md", "sh", "tar -xzf").replaceAll("linux-x64", system)
  await run("sh", ["-euc", unpack], stranger)
  for (const program of ["tapedeck", "tapedeck-emulator"]) {
    const reported = await run(join(files, program), ["--version"], { cwd: files, env: { PATH: "" } })
    if (reported.trim() !== version) throw new Error(`${program} of the release reports ${reported}`)
  }
  yield `the programs, unpacked as documented, report ${version}, without Node`
}
