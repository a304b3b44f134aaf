// Takes long: starts first.
import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { oneChecker, withoutCollection } from "@tapedeck/tsconfig/compiler.ts"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { rest, start } from "./support/command.ts"
import { type Besides, onDemandPackage, ownDependency, publishedPackage } from "./support/install.ts"
import { hover } from "./support/languageService.ts"

// What is published, in projects of others, each beside the versions that it says it installs beside.

const root = join(import.meta.dirname, "..")

let published: Awaited<ReturnType<typeof publishedPackage>>
beforeAll(async () => {
  installOnDemand(join(root, "ondemand"))
  published = await publishedPackage()
})
afterAll(() => published.remove(), 60_000)

const node = async (args: ReadonlyArray<string>, cwd: string) =>
  (await promisify(execFile)(process.execPath, args, { cwd, env: { PATH: process.env.PATH } })).stdout

const own = (...names: ReadonlyArray<string>): Besides =>
  Object.fromEntries(names.map((name) => [name, ownDependency(name)]))

const manifestOf = async (folder: string) => JSON.parse(await readFile(join(folder, "package.json"), "utf8"))

/** Has the project's TypeScript files checked, by the types of what is installed beside it alone. */
const checkTypes = (folder: string) =>
  promisify(execFile)(join(root, "../../node_modules/.bin/tsc"), ["-p", folder, ...oneChecker], {
    env: withoutCollection
  })

test("the library works without other packages", async () => {
  const projects = await published.install()
  const stdout = await node(["main.mjs"], join(projects, "plain"))
  expect(JSON.parse(stdout)).toEqual({ outcomes: ["failure", "success"], status: 200 })
})

test("on a Node that is too old the command prints one line and exits with 1, and startEmulator throws the same", async () => {
  const projects = await published.install()
  const plain = join(projects, "plain")
  const asNode20 =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})"
  const needed =
    "needs Node.js 22.19 or newer, and this is 20.20.2: install Node.js 24 from https://nodejs.org, or run `nvm install 24`"
  const bin = join(projects, "node_modules/@tapedeck/emulator/dist/main.js")
  const command = node(["--import", asNode20, bin, "--demo"], plain)
  await expect(command).rejects.toMatchObject({ code: 1, stdout: "", stderr: `tapedeck-emulator ${needed}\n` })
  const script = "import('@tapedeck/emulator').then((e) => e.startEmulator()).catch((e) => console.log(e.message))"
  expect(await node(["--import", asNode20, "-e", script], plain)).toBe(`@tapedeck/emulator ${needed}\n`)
})

test("the command stores its compiled code in Node's compile cache once it listens", async () => {
  const projects = await published.install()
  const cache = join(projects, "compile-cache")
  const bin = join(projects, "node_modules/@tapedeck/emulator/dist/main.js")
  const command = start([process.execPath, bin, "--port", "0", "--json", "--quiet"], { NODE_COMPILE_CACHE: cache })
  expect(await command.outLine()).toContain("base_url")
  command.kill("SIGKILL")
  await command.ended
  const files = await readdir(cache, { recursive: true })
  expect(files.length).toBeGreaterThan(2)
})

describe("before its first response", () => {
  interface Loads {
    readonly files: number
    readonly bytes: number
  }

  test("the command loads at most 7 files and 1,800,000 bytes", async () => {
    const projects = await published.install()
    const counter = join(projects, "plain/countLoads.mjs")
    const bin = join(projects, "node_modules/@tapedeck/emulator/dist/main.js")
    const command = start([process.execPath, "--import", counter, bin, "--port", "0", "--json", "--demo"])
    const { base_url } = JSON.parse((await command.outLine())!) as { readonly base_url: string }
    expect((await fetch(`${base_url}/api/v2/recordings`)).status).toBe(401)
    command.kill("SIGTERM")
    const { bytes, files } = JSON.parse((await rest(command.errLine)).at(-1)!) as Loads
    expect(files).toBeLessThanOrEqual(7)
    expect(bytes).toBeLessThanOrEqual(1_800_000)
  })

  test("the library loads at most 17 files and 1,805,000 bytes", async () => {
    const plain = join(await published.install(), "plain")
    const args = ["--import", join(plain, "countLoads.mjs"), join(plain, "firstResponse.mjs")]
    const { stderr, stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: plain,
      env: { PATH: process.env.PATH }
    })
    expect(stdout).toBe("401\n")
    const { bytes, files } = JSON.parse(stderr.trim().split("\n").at(-1)!) as Loads
    expect(files).toBeLessThanOrEqual(17)
    expect(bytes).toBeLessThanOrEqual(1_805_000)
  })
})

test("TypeScript finds all types in the installed package", async () => {
  await checkTypes(join(await published.install(own("effect", "vitest", "expect", "@types/node")), "types"))
})

test("an editor shows the description, the unit and the default of a fixture's keys", async () => {
  const projects = await published.install(own("effect", "vitest", "expect", "@types/node"))
  const documented = {
    real_timeout_ms: "Maximum wall time of a request to a real receiver, in milliseconds. Default: 5000.",
    fixtures: "Content of the world at its start.",
    duration: "Length of the recording, in seconds. Default: null.",
    helpdesk: "Ticket to which the recording is linked.",
    ticket_id: "Id of the ticket, conversation, issue or object. The platform's own id defaults to it.",
    script: "Statuses of the transcript, in order. Default: `ready` if it has text, else `unavailable`.",
    at: "Virtual time since the document was loaded; `PT0S` is at once. ISO 8601 (`PT1M30S`), units (`1m 30s`), or a number of milliseconds.",
    start_seconds: "Start of the segment, in seconds from the start of the recording.",
    headers:
      "Custom headers of the request: names to values. Headers that the service sets are refused: `Host`, the signature headers, and those of the connection and the body (`Connection`, `Content-Encoding`, `Content-Length`, `Expect`, `Keep-Alive`, `Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding`, `Upgrade`).",
    timeout_seconds: "Maximum time of an attempt, in seconds. Default: 30."
  }
  const shown = await hover(
    join(projects, "types/hover.mts"),
    Object.keys(documented).map((key) => ` ${key}`)
  )
  const documentation = shown.map((text) => text.split("```").at(-1)?.trim())
  expect(documentation).toEqual(Object.values(documented))
})

test("the declared types of fixtures and config accept exactly what their schemas accept", async () => {
  const folder = await mkdtemp(join(root, "node_modules/.same-types-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const declared = join(await published.install(), "node_modules/@tapedeck/emulator/dist/index.js")
  const assignable = `
    import type { PartialWorldConfig, StartDocument } from "@tapedeck/fixtures"
    import type { EmulatorConfig, FixturesDocument } from "${declared}"
    export const documents = (a: StartDocument, b: FixturesDocument): [FixturesDocument, StartDocument] => [a, b]
    export const configs = (a: PartialWorldConfig, b: EmulatorConfig): [EmulatorConfig, PartialWorldConfig] => [a, b]
  `
  await writeFile(join(folder, "same.ts"), assignable)
  const settings = { extends: join(root, "../../tooling/tsconfig/base.json"), include: ["same.ts"] }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings))
  expect(await checkTypes(folder)).toMatchObject({ stdout: "" })
})

describe("vitest", () => {
  test.each([
    { version: "3", folder: onDemandPackage("vitest3"), hasOverride: false },
    { version: "4.0", folder: onDemandPackage("vitest40"), hasOverride: false },
    { version: "4.1", folder: onDemandPackage("vitest41"), hasOverride: true },
    { version: "5", folder: ownDependency("vitest"), hasOverride: true }
  ])(
    "$version is in the peer range, and runs the README's examples, all files of a worker on one emulator, and files that connect to one",
    async ({ folder, hasOverride, version }) => {
      expect(await isPeer("vitest", folder, version)).toBe(true)
      const projects = await published.install({ ...own("@types/node", "expect"), vitest: folder })
      const files = ["first", "second", "withEmulator", ...(hasOverride ? ["override"] : [])]
      const args = [join(folder, "vitest.mjs"), "run", ...files, "--reporter=json", "--outputFile=report.json"]
      await node(args, join(projects, "vitest"))
      const report = JSON.parse(await readFile(join(projects, "vitest/report.json"), "utf8"))
      expect(report).toMatchObject({ success: true, numPassedTests: files.length })
      const emulators = (await readFile(join(projects, "vitest/emulators.txt"), "utf8")).trim().split("\n")
      expect(emulators[0]).toMatch(/^http:/)
      expect(emulators[1]).toBe(emulators[0])
      const shared = ["--config", "shared.config.mjs", "--reporter=json", "--outputFile=shared.json"]
      await node([join(folder, "vitest.mjs"), "run", ...shared], join(projects, "vitest"))
      const sharedReport = JSON.parse(await readFile(join(projects, "vitest/shared.json"), "utf8"))
      expect(sharedReport).toMatchObject({ success: true, numPassedTests: 1 })
      await checkTypes(join(projects, "typesWithoutOverride"))
    }
  )
})

describe("jest", () => {
  const jest = async (projects: string, folder: string, flags: ReadonlyArray<string>, files: ReadonlyArray<string>) => {
    const args = [...flags, join(folder, "bin/jest.js"), ...files, "--json", "--no-watchman"]
    const { numFailedTests, numPassedTests } = JSON.parse(await node(args, join(projects, "jest")))
    return { numFailedTests, numPassedTests }
  }

  test.each([
    { version: "29", folder: onDemandPackage("jest29"), expectFolder: onDemandPackage("expect29") },
    { version: "30", folder: onDemandPackage("jest30"), expectFolder: ownDependency("expect") }
  ])(
    "$version is in the peer range, and runs the README's example, in ES modules and from CommonJS",
    async ({ expectFolder, folder, version }) => {
      expect(await isPeer("expect", expectFolder, version)).toBe(true)
      const projects = await published.install({ ...own("@types/node"), expect: expectFolder })
      const inSandbox = ["--experimental-vm-modules"]
      const none = { numFailedTests: 0 }
      expect(await jest(projects, folder, inSandbox, ["inProcess", "readme", "fakeTimers"])).toEqual({
        ...none,
        numPassedTests: 3
      })
      expect(await jest(projects, folder, [], ["overHttp"])).toEqual({ ...none, numPassedTests: 1 })
    }
  )
})

describe("Effect", () => {
  test.each([
    { version: "4.0", folder: onDemandPackage("effect40") },
    { version: "4.1", folder: ownDependency("effect") }
  ])("$version is in the peer range, and the layer uses the project's own copy", async ({ folder, version }) => {
    expect(await isPeer("effect", folder, version)).toBe(true)
    const stdout = await node(["main.mjs"], join(await published.install({ effect: folder }), "effect"))
    expect(JSON.parse(stdout)).toEqual({ outcomes: ["failure", "success"], refused: "EmulatorError" })
  })

  test("3 is in the peer range: the emulator runs beside it, and the layer says that it needs Effect 4", async () => {
    const folder = onDemandPackage("effect3")
    expect(await isPeer("effect", folder, "3")).toBe(true)
    const projects = await published.install({ effect: folder })
    expect(await node(["otherVersion.mjs"], join(projects, "effect"))).toBe(
      "@tapedeck/emulator/effect needs Effect 4: the installed version has no effect/http"
    )
  })
})

/** Whether a package's installed version is the one that is meant, and in the range of the optional peer dependency. */
const isPeer = async (name: string, folder: string, meant: string): Promise<boolean> => {
  const semver = createRequire(join(root, "ondemand/package.json"))("semver")
  const [{ peerDependencies, peerDependenciesMeta }, { version }] = [await manifestOf(root), await manifestOf(folder)]
  expect(version.startsWith(`${meant}.`)).toBe(true)
  expect(peerDependenciesMeta[name]).toEqual({ optional: true })
  return semver.satisfies(version, peerDependencies[name])
}
