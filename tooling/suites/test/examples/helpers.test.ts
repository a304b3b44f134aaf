import { execFile, execFileSync } from "node:child_process"
import { chmodSync, existsSync, globSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { copyHelper, type HelperLanguage, packHelper } from "../../src/release/helperFiles.ts"
import { emulatorMain, type Folder, type Started, startProcess, temporaryFolder } from "../../src/support/process.ts"
import type { WorldObject } from "../../src/support/shapes.ts"

// The helpers of `clients/`: their own tests, and the example of each README, in a project that has the helper as a stranger would.

const root = join(import.meta.dirname, "../../../..")

const succeeds = (file: string, ...args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(file, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** JUnit, as Debian's package junit5 brings it. Each release of its launcher names other jars, so all are on the path. */
const junit = globSync(
  "/usr/share/java/{junit-jupiter*,junit-platform*,opentest4j*,apiguardian-api,picocli,univocity-parsers}.jar"
).join(delimiter)

const isThere = {
  python: succeeds("python3", "-m", "pytest", "--version"),
  go: succeeds("go", "version"),
  java: succeeds("javac", "-version") && existsSync("/usr/share/java/junit-platform-console.jar")
}
for (const [name, isOne] of Object.entries(isThere))
  if (!isOne) console.warn(`the ${name} helper is not tested: its language or its test framework is not installed`)
const hasPip = succeeds("python3", "-m", "pip", "--version")
if (!hasPip) console.warn("the installation of the python helper is not tested: pip is not installed")

let folder: Folder
let emulator: Started<WorldObject>
/** The emulator's command, as one path. */
let command: string

beforeAll(async () => {
  folder = await temporaryFolder()
  command = await folder.write(
    "tapedeck-emulator",
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, emulatorMain)}" "$@"\n`
  )
  chmodSync(command, 0o755)
  emulator = await startProcess<WorldObject>(emulatorMain, ["--port", "0", "--json", "--quiet"])
})
afterAll(async () => {
  await emulator.stop()
  await folder.remove()
})

const testFolder = async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

/** A copy of a helper, so that what tools leave behind does not stay. */
const copyOf = async (language: HelperLanguage) => copyHelper(language, "1.2.3", await testFolder())

/** Runs a command with the emulator that runs, or with one of its own. Its output comes with a failure. */
const run = async (cwd: string, variables: NodeJS.ProcessEnv, file: string, ...args: ReadonlyArray<string>) => {
  const env = { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=mod", ...variables }
  try {
    return (await promisify(execFile)(file, args, { cwd, env })).stdout
  } catch (error) {
    const { stderr = "", stdout = "" } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${file} ${args.join(" ")}\n${stdout}\n${stderr}`)
  }
}

const running = () => ({ TAPEDECK_EMULATOR_URL: emulator.ready.base_url, TAPEDECK_EMULATOR: command })
const own = () => ({ TAPEDECK_EMULATOR_URL: "", TAPEDECK_EMULATOR: command })

/** The worlds of the emulator that runs: the tests of the helpers leave none behind. */
const expectNoWorlds = async () =>
  expect(await (await fetch(`${emulator.ready.base_url}/_emulator/worlds`)).json()).toEqual({ worlds: ["default"] })

describe.skipIf(!isThere.python)("The pytest plugin", () => {
  test("passes its tests, the example of its README among them", async () => {
    const args = ["-B", "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    expect(await run(await copyOf("python"), running(), "python3", ...args)).toMatch(/^\d+ passed in/m)
    await expectNoWorlds()
  })

  test.skipIf(!hasPip)("is installed as a wheel without an index, and pytest finds it", async () => {
    const project = await testFolder()
    packHelper("python", "1.2.3-beta.0", { out: project, time: 1_700_000_000 })
    const [wheel = ""] = globSync("*.whl", { cwd: project })
    const pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile", "--target", "packages"]
    await run(project, {}, "python3", ...pip, wheel)
    const markers = await run(project, { PYTHONPATH: "packages" }, "python3", "-m", "pytest", "--markers")
    expect(markers).toContain("@pytest.mark.tapedeck(")
    const version = "import importlib.metadata as m; print(m.version('pytest-tapedeck'))"
    expect(await run(project, { PYTHONPATH: "packages" }, "python3", "-c", version)).toBe("1.2.3b0\n")
  })
})

describe.skipIf(!isThere.go)("The Go package", () => {
  test("passes its tests, and gofmt changes nothing", async () => {
    const copy = await copyOf("go")
    expect(await run(copy, {}, "gofmt", "-l", ".")).toBe("")
    expect(await run(copy, running(), "go", "test", "-count=1", "./...")).toMatch(/^ok\s/m)
    await expectNoWorlds()
  })

  test("runs the example of its README in another module, with an emulator of its own", async () => {
    const project = await testFolder()
    packHelper("go", "1.2.3", { out: project, time: 1_700_000_000 })
    writeFileSync(join(project, "webhook_test.go"), readFence("clients/go/README.md", "go"))
    writeFileSync(join(project, "go.mod"), "module example.test/project\n\ngo 1.19\n")
    await run(project, {}, "bash", "--norc", "-euc", readFence("clients/go/README.md", "sh"))
    expect(await run(project, own(), "go", "test", "-count=1", "-v", "./...")).toMatch(
      /^--- PASS: TestAWebhookIsRetried /m
    )
  })
})

describe.skipIf(!isThere.java)("The JUnit extension", () => {
  test("passes its tests, and runs the example of its README with an emulator of its own", async () => {
    const copy = await copyOf("java")
    const classes = join(copy, "classes")
    writeFileSync(join(copy, "WebhookTest.java"), readFence("clients/java/README.md", "java"))
    const sources = ["WebhookTest.java", ...globSync("src/**/*.java", { cwd: copy })]
    await run(copy, {}, "javac", "-Xlint:all,-path", "-Werror", "-cp", junit, "-d", classes, ...sources)
    const launcher = ["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--disable-ansi-colors"]
    const output = await run(
      copy,
      own(),
      "java",
      "-cp",
      `${classes}:${junit}`,
      ...launcher,
      "--scan-class-path",
      classes
    )
    expect(output).toMatch(/\b7 tests successful\b/)
    expect(output).toMatch(/\b0 tests failed\b/)
  })
})
