import { execFile, execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { beforeEach, expect, test } from "vitest"
import { copyHelper, packHelper } from "../src/release/helperFiles.ts"
import { archivePrograms, systemOf, systems } from "../src/release/programFiles.ts"
import { pythonVersion, writeWheel } from "../src/release/wheel.ts"
import { temporaryFolder } from "../src/support/process.ts"

// The files of a release on GitHub, and the release itself, by a stand-in for GitHub's command.

const root = join(import.meta.dirname, "../../..")

const elf = (machine: number) => {
  const head = Buffer.alloc(64)
  head.writeUInt32BE(0x7f454c46)
  head.writeUInt16LE(machine, 18)
  return head
}
const machO = (processor: number) => {
  const head = Buffer.alloc(64)
  head.writeUInt32LE(0xfeedfacf)
  head.writeUInt32LE(processor, 4)
  return head
}
const executables = [elf(62), elf(183), machO(0x01000007), machO(0x0100000c)]

let folder: string
beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  return () => temporary.remove()
})

const write = (name: string, bytes: string | Buffer) => {
  const path = join(folder, name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, bytes)
  return path
}

test("the system of a program is read from the program", () => {
  expect(executables.map(systemOf)).toEqual(systems)
  for (const other of [
    Buffer.alloc(0),
    elf(62).subarray(0, 19),
    elf(40),
    machO(12),
    Buffer.from("#!/bin/sh".padEnd(64))
  ])
    expect(systemOf(other)).toBeUndefined()
})

test("each program becomes an archive named by its system, executable, of the same bytes at any time", () => {
  for (const [index, bytes] of executables.entries()) {
    write(`programs/runner-${index}/tapedeck`, bytes)
    write(`programs/runner-${index}/tapedeck-emulator`, bytes)
  }
  const names = ["tapedeck", "tapedeck-emulator"]
  const archived = (out: string, from = join(folder, "programs")) => {
    mkdirSync(join(folder, out))
    archivePrograms({ from, names, systems }, { out: join(folder, out), time: 1_700_000_000 })
    return readdirSync(join(folder, out)).map(
      (name) => [name, readFileSync(join(folder, out, name), "base64")] as const
    )
  }
  const first = archived("first")
  expect(first.map(([name]) => name)).toEqual(
    names.flatMap((name) => systems.map((system) => `${name}-${system}.tar.gz`)).toSorted()
  )
  execFileSync("touch", [join(folder, "programs/runner-0/tapedeck")])
  expect(archived("second")).toEqual(first)
  execFileSync("tar", ["-xzf", join(folder, "first/tapedeck-macos-arm64.tar.gz"), "-C", folder])
  expect(readFileSync(join(folder, "tapedeck"))).toEqual(executables[3])
  expect(statSync(join(folder, "tapedeck")).mode & 0o777).toBe(0o755)

  write("programs/again/tapedeck", elf(62))
  expect(() => archived("third")).toThrow(/^tapedeck for linux-x64 exists twice: .*runner-0.*again|again.*runner-0/)
  expect(() => archived("fourth", join(folder, "programs/runner-1"))).toThrow(/^tapedeck for linux-x64 is not in /)
})

test("a helper gets the version of the release, and only files that git knows", () => {
  const java = copyHelper("java", "1.2.3", folder)
  expect(java).toBe(join(folder, "tapedeck-junit"))
  expect(readFileSync(join(java, "pom.xml"), "utf8")).toMatch(/<artifactId>tapedeck-junit<.*>\n {2}<version>1\.2\.3</)
  const python = copyHelper("python", "1.2.3", folder)
  expect(readFileSync(join(python, "pyproject.toml"), "utf8")).toContain(
    'name = "pytest-tapedeck"\nversion = "1.2.3"\n'
  )
  expect(readdirSync(python, { recursive: true }).filter((path) => String(path).includes("__pycache__"))).toEqual([])
})

test("the wheel has a version as Python writes it, the sum of each file, and the same bytes at any time", () => {
  const packed = (out: string) => {
    mkdirSync(join(folder, out))
    packHelper("python", "1.2.3-beta.0", { out: join(folder, out), time: 1_700_000_000 })
    return readdirSync(join(folder, out)).map(
      (name) => [name, readFileSync(join(folder, out, name), "latin1")] as const
    )
  }
  const [[name, wheel = ""] = [], ...more] = packed("first")
  expect([name, more]).toEqual(["pytest_tapedeck-1.2.3b0-py3-none-any.whl", []])
  expect(packed("second")).toEqual([[name, wheel]])
  expect(wheel).toContain("\nName: pytest-tapedeck\nVersion: 1.2.3b0\nSummary: ")
  expect(wheel).toContain("[pytest11]\ntapedeck = pytest_tapedeck.plugin\n")
  const plugin = readFileSync(join(root, "clients/python/src/pytest_tapedeck/plugin.py"))
  const sum = createHash("sha256").update(plugin).digest("base64url")
  expect(wheel).toContain(`\npytest_tapedeck/plugin.py,sha256=${sum},${plugin.length}\n`)
})

test.each([
  ["1.2.3", "1.2.3"],
  ["1.2.3-alpha.4", "1.2.3a4"],
  ["1.2.3-beta.0", "1.2.3b0"],
  ["1.2.3-rc.12", "1.2.3rc12"]
])("Python writes the version %s as %s", (version, expected) => {
  expect(pythonVersion(version)).toBe(expected)
})

test.each(["1.2.3-next.0", "1.2.3-beta", "1.2", "0.0.0-20260101"])("Python has no version %s", (version) => {
  expect(() => pythonVersion(version)).toThrow(
    `Python has no version ${version}: a pre-release is alpha, beta, rc and a number`
  )
})

test.each([
  [
    "a key that it cannot write",
    "pyproject.toml",
    /^license = .*/m,
    '$&\nscripts = { run = "a:b" }',
    /\["project"\]\["scripts"\]/
  ],
  ["a key of another tool", "pyproject.toml", /$/, "\n[tool.hatch]\nbuild = 1\n", /\["tool"\]\["hatch"\]/],
  ["no description", "pyproject.toml", /^description = .*\n/m, "", /\["project"\]\["description"\]/],
  ["a line break in its description", "pyproject.toml", /^description = "/m, "$&\\n", /\["project"\]\["description"\]/],
  [
    "no module of the entry point",
    "pyproject.toml",
    "pytest_tapedeck.plugin",
    "pytest_tapedeck.gone",
    /: pytest_tapedeck\.gone$/
  ],
  ["unnamed data", "pyproject.toml", '["py.typed"]', "[]", /package-data: pytest_tapedeck\/py\.typed$/],
  ["data that is missing", "pyproject.toml", '"py.typed"', '"py.typed", "*.json"', /lacks: pytest_tapedeck\/\*\.json$/]
] as const)("a package with %s becomes no wheel", (_, manifest, before, after, message) => {
  const path = join(copyHelper("python", "1.2.3", folder), manifest)
  writeFileSync(path, readFileSync(path, "utf8").replace(before, after))
  expect(() => writeWheel(join(path, ".."), { out: folder, time: 1_700_000_000 })).toThrow(message)
  expect(readdirSync(folder)).toEqual(["pytest-tapedeck"])
})

test("the READMEs of the helpers, which are read without the repository, link nothing of it", () => {
  const pages = globSync("clients/*/README.md", { cwd: root })
  expect(pages).toHaveLength(3)
  for (const page of pages) expect(readFileSync(join(root, page), "utf8")).not.toMatch(/\]\((?!https:|#)/)
})

/** Answers of `gh` to the question for a release. */
const views = {
  none: "echo 'release not found' >&2; exit 1",
  unknown: "echo 'connect: network is unreachable' >&2; exit 1",
  draft: `echo '{"isDraft":true}'`,
  released: `echo '{"isDraft":false}'`
} as const

/** Copy of `release:github` in a folder whose version is this. */
const githubOf = (version: string) => {
  write("apps/server/package.json", JSON.stringify({ version }))
  for (const name of ["github.ts", "version.ts"])
    write(`tooling/suites/src/release/${name}`, readFileSync(join(root, "tooling/suites/src/release", name)))
  return join(folder, "tooling/suites/src/release/github.ts")
}

/** Runs `release:github` with a `gh` that answers so. Returns its calls that change something, and what `--state` tells the job. */
const release = async (view: keyof typeof views, version = "1.2.3", ...args: ReadonlyArray<string>) => {
  const calls = write("calls", "")
  const state = write("state", "")
  const gh = write("bin/gh", `#!/bin/sh\nif [ "$2" = view ]; then ${views[view]}; else echo "$@" >> ${calls}; fi\n`)
  chmodSync(gh, 0o755)
  const env = {
    ...process.env,
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    GITHUB_REPOSITORY: "acme/tapedeck",
    GITHUB_SHA: "0123456",
    GITHUB_OUTPUT: state
  }
  await promisify(execFile)(process.execPath, [githubOf(version), folder, ...args], { env })
  return { calls: readFileSync(calls, "utf8"), state: readFileSync(state, "utf8") }
}

test("a release is made once, with the files that SHA256SUMS names, and never changed", async () => {
  const file = write("tapedeck-linux-x64.tar.gz", "archive")
  write("SHA256SUMS", `${"0".repeat(64)}  tapedeck-linux-x64.tar.gz\n`)
  const create = "release create v1.2.3 --repo acme/tapedeck --target 0123456 --title Tapedeck 1.2.3 --notes "
  const { calls: made } = await release("none")
  expect(made.startsWith(create)).toBe(true)
  expect(made.endsWith(`\n ${join(folder, "SHA256SUMS")} ${file}\n`)).toBe(true)
  expect((await release("draft")).calls).toBe(`release delete v1.2.3 --repo acme/tapedeck --yes\n${made}`)
  expect((await release("released")).calls).toBe("")
  expect((await release("none", "1.2.3-beta.0")).calls).toContain(
    `\n --prerelease --latest=false ${join(folder, "SHA256SUMS")} ${file}\n`
  )
})

test("the job learns whether the release exists before there are files, and changes nothing", async () => {
  expect(await release("none", "1.2.3", "--state")).toEqual({ calls: "", state: "state=missing\n" })
  expect(await release("draft", "1.2.3", "--state")).toEqual({ calls: "", state: "state=missing\n" })
  expect(await release("released", "1.2.3", "--state")).toEqual({ calls: "", state: "state=released\n" })
})

test("a release of which GitHub says nothing is neither made nor called missing", async () => {
  const message = "gh cannot say whether v1.2.3 exists: connect: network is unreachable"
  await expect(release("unknown")).rejects.toThrow(message)
  await expect(release("unknown", "1.2.3", "--state")).rejects.toThrow(message)
  expect([readFileSync(join(folder, "calls"), "utf8"), readFileSync(join(folder, "state"), "utf8")]).toEqual(["", ""])
})

test("a release is refused without one of its files", async () => {
  write("SHA256SUMS", `${"0".repeat(64)}  gone.tar.gz\n`)
  await expect(release("none")).rejects.toThrow(`Missing: ${join(folder, "gone.tar.gz")}`)
  write("SHA256SUMS", "")
  await expect(release("none")).rejects.toThrow("SHA256SUMS names no file")
})
