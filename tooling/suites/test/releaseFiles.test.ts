import { execFile, execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { beforeEach, expect, test } from "vitest"
import { copyHelper } from "../src/release/helperFiles.ts"
import { archivePrograms, systemOf, systems } from "../src/release/programFiles.ts"
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

/** Runs `release:github` with a `gh` that knows a release in this state, and returns the calls that change something. */
const release = async (state: "none" | "draft" | "released") => {
  const calls = write("calls", "")
  const view = state === "none" ? "exit 1" : `echo '{"isDraft":${state === "draft"}}'`
  const gh = write("bin/gh", `#!/bin/sh\nif [ "$2" = view ]; then ${view}; else echo "$@" >> ${calls}; fi\n`)
  chmodSync(gh, 0o755)
  const env = {
    ...process.env,
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    GITHUB_REPOSITORY: "acme/tapedeck",
    GITHUB_SHA: "0123456"
  }
  await promisify(execFile)(process.execPath, [join(root, "tooling/suites/src/release/github.ts"), folder], { env })
  return readFileSync(calls, "utf8")
}

test("a release is made once, with the files that SHA256SUMS names, and never changed", async () => {
  const file = write("tapedeck-linux-x64.tar.gz", "archive")
  write("SHA256SUMS", `${"0".repeat(64)}  tapedeck-linux-x64.tar.gz\n`)
  const { version } = JSON.parse(readFileSync(join(root, "apps/server/package.json"), "utf8"))
  const create = `release create v${version} --repo acme/tapedeck --target 0123456 --title Tapedeck ${version} --notes `
  const made = await release("none")
  expect(made.startsWith(create)).toBe(true)
  expect(made.endsWith(` ${join(folder, "SHA256SUMS")} ${file}\n`)).toBe(true)
  expect(await release("draft")).toBe(`release delete v${version} --repo acme/tapedeck --yes\n${made}`)
  expect(await release("released")).toBe("")
})

test("a release is refused without one of its files", async () => {
  write("SHA256SUMS", `${"0".repeat(64)}  gone.tar.gz\n`)
  await expect(release("none")).rejects.toThrow(`Missing: ${join(folder, "gone.tar.gz")}`)
  write("SHA256SUMS", "")
  await expect(release("none")).rejects.toThrow("SHA256SUMS names no file")
})
