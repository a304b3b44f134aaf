import { cp, readFile, writeFile } from "node:fs/promises"
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

  const packages = join(files, "packages")
  const wheel = join(files, `pytest_tapedeck-${version}-py3-none-any.whl`)
  const pip = ["-m", "pip", "install", "--quiet", "--target", packages, "pytest", wheel]
  await run("python3", pip, { cwd: files, env: process.env })
  await writeFile(join(files, "test_webhook.py"), readFence("clients/python/README.md", "python"))
  const env = { ...process.env, PYTHONPATH: packages, PATH: `${files}:${process.env.PATH}` }
  const tested = await run("python3", ["-m", "pytest", "-q", "test_webhook.py"], { cwd: files, env })
  if (!/^2 passed/m.test(tested)) throw new Error(`The example of the pytest plugin fails: ${tested}`)
  yield `the wheel ${version} and the emulator's program run the example of the plugin's README`
  await run("tar", ["-xzf", "tapedeck-junit.tar.gz"], stranger)
  if (!(await readFile(join(files, "tapedeck-junit/pom.xml"), "utf8")).includes(`<version>${version}</version>`))
    throw new Error(`tapedeck-junit is not ${version}`)
}
