import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isInstalled, packageDirectory, run } from "./support/run.ts"
import { vectors } from "./support/vectors.ts"

const examples = join(packageDirectory, "examples")
const harnesses = join(packageDirectory, "test/snippets")

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tapedeck-snippets-"))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const encode = (text: string) => Buffer.from(text).toString("base64")

/** One line a case: what a program of any language can read without a JSON parser. */
const input = vectors
  .map(([, file, { secrets, body_base64, headers, now }]) =>
    [
      file.scheme,
      file.vendor ?? "",
      now,
      secrets.map((secret) => `:${encode(secret)}`).join(","),
      body_base64,
      headers.map(([name, value]) => `${name}:${encode(value)}`).join(",")
    ].join("\t")
  )
  .join("\n")

/** By case: the place of the secret that matched, or -1. */
const expected = vectors.map(
  ([name, , vector]) => `${name}: ${vector.expected.valid ? vector.expected.secret_index : -1}`
)

interface Language {
  readonly name: string
  /** What asks whether it can be run here. */
  readonly toolchain: ReadonlyArray<string>
  /** Runs the example against the cases, in a directory of its own; gives what it printed. */
  readonly answer: (directory: string) => Promise<string>
}

const languages: ReadonlyArray<Language> = [
  {
    name: "Python",
    toolchain: ["python3", "--version"],
    answer: () => run("python3", [join(harnesses, "harness.py"), join(examples, "verify.py")], { input: `${input}\n` })
  },
  {
    name: "Java",
    toolchain: ["javac", "-version"],
    answer: async (cwd) => {
      await run("javac", ["-d", cwd, join(examples, "Verify.java"), join(harnesses, "Harness.java")])
      return run("java", ["-cp", cwd, "Harness"], { input: `${input}\n` })
    }
  },
  {
    name: "Ruby",
    toolchain: ["ruby", "--version"],
    answer: () => run("ruby", [join(harnesses, "harness.rb"), join(examples, "verify.rb")], { input: `${input}\n` })
  },
  {
    name: "Go",
    toolchain: ["go", "version"],
    answer: async (cwd) => {
      await mkdir(join(cwd, "tapedeck"))
      await copyFile(join(examples, "verify.go"), join(cwd, "tapedeck/verify.go"))
      await copyFile(join(harnesses, "harness.go"), join(cwd, "main.go"))
      await writeFile(join(cwd, "go.mod"), "module harness\n\ngo 1.18\n")
      await run("go", ["build", "-o", "harness", "."], { cwd })
      return run(join(cwd, "harness"), [], { input: `${input}\n` })
    }
  },
  {
    name: "PHP",
    toolchain: ["php", "--version"],
    answer: () => run("php", [join(harnesses, "harness.php"), join(examples, "verify.php")], { input: `${input}\n` })
  },
  {
    name: "C#",
    toolchain: ["mcs", "--version"],
    answer: async (cwd) => {
      const program = join(cwd, "harness.exe")
      const sources = [join(examples, "Verify.cs"), join(harnesses, "Harness.cs")]
      await run("mcs", [`-out:${program}`, "-langversion:7.2", "-r:System.Core", ...sources])
      return run("mono", [program], { input: `${input}\n` })
    }
  }
]

test.for(languages)(
  "$name: the example gives the answer of every shared vector",
  async ({ name, toolchain, answer }, { skip }) => {
    const [command = "", ...parameters] = toolchain
    if (!(await isInstalled(command, parameters))) {
      console.log(`skipped: ${name}'s example is not run, because ${command} is not installed here`)
      skip(`${command} is not installed`)
    }
    const place = join(directory, name)
    await mkdir(place)
    const answers = (await answer(place)).trim().split("\n")
    expect(vectors.map(([vector], index) => `${vector}: ${answers[index]?.trim()}`)).toEqual(expected)
  }
)
