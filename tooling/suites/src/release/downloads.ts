import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import type { Workplace } from "./Workplace.ts"
import { pythonVersion } from "./wheel.ts"

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

  yield await tryWheel({ files, run }, version)
  await run("tar", ["-xzf", "tapedeck-junit.tar.gz"], stranger)
  if (!(await readFile(join(files, "tapedeck-junit/pom.xml"), "utf8")).includes(`<version>${version}</version>`))
    throw new Error(`tapedeck-junit is not ${version}`)
}

/** Installs the wheel, without a package index, and runs the example of its README if pytest is there or can be installed. */
const tryWheel = async ({ files, run }: { readonly files: string } & Pick<Workplace, "run">, version: string) => {
  const env = process.env
  const python = (...args: ReadonlyArray<string>) => run("python3", args, { cwd: files, env })
  const succeeds = (command: Promise<string>) => command.then(() => true).catch(() => false)
  const wheel = `pytest_tapedeck-${pythonVersion(version)}-py3-none-any.whl`
  if (!(await succeeds(python("-m", "pip", "--version")))) return `not tried: ${wheel}, for lack of Python with pip`

  const packages = join(files, "packages")
  const pip = ["-m", "pip", "install", "--quiet", "--target", packages]
  await python(...pip, "--no-index", "--no-deps", join(files, wheel))
  if (!(await succeeds(python("-m", "pytest", "--version")))) {
    const fromIndex = run("timeout", ["120", "python3", ...pip, "--retries", "1", "pytest"], { cwd: files, env })
    if (!(await succeeds(fromIndex)))
      return `${wheel} is installed; not tried: its README's example, for lack of pytest and of a package index that has it`
  }
  await writeFile(join(files, "test_webhook.py"), readFence("clients/python/README.md", "python"))
  const variables = { ...env, PYTHONPATH: packages, PATH: `${files}:${env.PATH}` }
  const pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_webhook.py"]
  const tested = await run("python3", pytest, { cwd: files, env: variables })
  if (!/^2 passed/m.test(tested)) throw new Error(`The example of the pytest plugin fails: ${tested}`)
  return `the wheel ${wheel} and the emulator's program run the example of the plugin's README`
}
