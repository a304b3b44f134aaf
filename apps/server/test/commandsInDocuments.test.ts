import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseFences } from "@tapedeck/tsconfig/fences.ts"
import { describe, expect, test } from "vitest"
import { parseDocument } from "yaml"
import { parseCommandLine } from "../src/cli/commandLine.ts"
import { unknownVariables } from "../src/config/Config.ts"

/** Reads the commands and variables of all documents, and runs nothing. */

const root = fileURLToPath(new URL("../../../", import.meta.url))
const documents = globSync(
  [
    "*.md",
    "docs/*.md",
    "packages/*/README.md",
    "apps/*/README.md",
    "apps/server/packaging/**/*",
    "clients/**/README.md"
  ],
  { cwd: root, withFileTypes: true }
)
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => {
    const path = `${parentPath}/${name}`
    return { path: path.slice(root.length), text: readFileSync(path, "utf8") }
  })
  .toSorted((one, other) => one.path.localeCompare(other.path))

/** Shell fences without comments, each command on a line, and inline code. */
const linesIn = (text: string): ReadonlyArray<string> => {
  const fences = parseFences("", text).filter(({ language }) => language === "sh")
  const lines = fences.flatMap(({ code }) => code.replaceAll(/\\\n/g, " ").split(/\n|&&|\|\|?|;/))
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)
  return [...lines, ...inline].map((line) => line.replace(/(^|\s)#.*$/, "").trim())
}

/** The arguments of the server's command; undefined for another command, and for one with a placeholder for its name. */
const argumentsOf = (line: string): ReadonlyArray<string> | undefined => {
  const [, written] =
    /^(?:[A-Z][A-Z0-9_]*=(?:'[^']*'|\S*) +)*(?:tapedeck|npx pnpm -s server|npx @tapedeck\/server) +(.+)$/.exec(line) ??
    []
  const words = written?.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)?.map((word) => word.replaceAll(/['"]/g, ""))
  return words === undefined || /^[A-Z]+$|^…$/.test(words[0] ?? "") ? undefined : words
}

const problemsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  try {
    const parsed = parseCommandLine(args)
    return "problems" in parsed ? parsed.problems : []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Errors of a command. A text may name a command without its arguments, and shorten a value. */
const faultsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  problemsOf(args).filter((problem) => !/: is required$|…/.test(problem))

const faultOfJson = (text: string): string => {
  try {
    JSON.parse(text)
    return ""
  } catch (error) {
    return (error as Error).message
  }
}

/** Languages of fences, each with the error of a text. Output is `text`; programs are compiled by the tests that run them. */
const languages: Readonly<Record<string, (code: string) => string>> = {
  sh: (code) => spawnSync("bash", ["-n"], { input: code, encoding: "utf8" }).stderr,
  json: faultOfJson,
  jsonl: (code) => code.trim().split("\n").map(faultOfJson).join(""),
  yaml: (code) => parseDocument(code).errors.join("; "),
  ...Object.fromEntries(
    ["text", "ts", "js", "go", "java", "python", "html", "sql", "ini", "nginx"].map((name) => [name, () => ""])
  )
}

const faultOfFence = (language: string, code: string): string =>
  languages[language]?.(code) ?? `no language of fences: ${language}`

/** Variables of programs other than the server: the services of the examples, and the tools of this repository. */
const otherVariables = [
  "TAPEDECK_API",
  "TAPEDECK_BASE_URL",
  "TAPEDECK_BULK_ROWS",
  "TAPEDECK_DOMAIN",
  "TAPEDECK_EMULATOR",
  "TAPEDECK_EMULATOR_URL",
  "TAPEDECK_TEST_DATABASE_URL",
  "TAPEDECK_TOKEN",
  "TAPEDECK_URL"
]

const variablesIn = (text: string): ReadonlyArray<string> =>
  [...new Set(text.match(/\bTAPEDECK_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g) ?? [])].filter(
    (name) => !otherVariables.includes(name)
  )

describe("Documents", () => {
  test("name only commands and options that the server has", () => {
    const commands = documents.flatMap(({ path, text }) =>
      linesIn(text).flatMap((line) => {
        const args = argumentsOf(line)
        return args === undefined ? [] : [{ path, line, faults: faultsOf(args) }]
      })
    )
    expect(commands.length).toBeGreaterThan(50)
    expect(commands.filter(({ faults }) => faults.length > 0)).toEqual([])
  })

  test("name only variables that the server has", () => {
    const unknown = documents.flatMap(({ path, text }) =>
      unknownVariables(Object.fromEntries(variablesIn(text).map((name) => [name, ""]))).map((fault) => ({
        path,
        fault
      }))
    )
    expect(unknown).toEqual([])
  })

  test("have fences whose language is known and valid", () => {
    const faults = documents.flatMap(({ path, text }) =>
      parseFences(path, text).map(({ code, language }) => ({ path, code, fault: faultOfFence(language, code) }))
    )
    expect(faults.length).toBeGreaterThan(150)
    expect(faults.filter(({ fault }) => fault !== "")).toEqual([])
    expect(["sh", "json", "yaml", "shell"].map((language) => faultOfFence(language, "a: [\n{"))).not.toContain("")
  })

  test.each([
    ["`tapedeck migrate --form sqlite:x`", "--form"],
    ["```sh\nTAPEDECK_PORT=1 tapedeck backup a b\n```", "b"],
    ["```sh\ncurl a && npx pnpm -s server serv\n```", "serv"]
  ])("with a command that does not exist would be found: %j", (text, fault) => {
    const args = linesIn(text).flatMap((line) => argumentsOf(line) ?? [])
    expect(faultsOf(args).join("\n")).toContain(fault)
  })
})
