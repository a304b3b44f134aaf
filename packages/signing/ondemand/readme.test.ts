import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { SigningError } from "../src/index.ts"
import { packageDirectory } from "../test/support/run.ts"

let readme: string
beforeAll(async () => {
  readme = await readFile(join(packageDirectory, "README.md"), "utf8")
})

test("the README explains every error code, and no other", async () => {
  const source = await readFile(join(packageDirectory, "src/errors.ts"), "utf8")
  const messages = /const messages: .*?\n}\n/s.exec(source)?.[0] ?? ""
  const codes = [...messages.matchAll(/^ {2}(\w+): /gm)].map(([, code]) => code)
  expect(codes).toContain(new SigningError("replayed", { id: "", timestamp: 0 }).code)
  const table = readme.slice(readme.indexOf("| `code` |"), readme.indexOf("`verifyResultSync`"))
  const explained = table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, code]) => code))
  expect(explained.filter((code) => code !== "code").sort()).toEqual(codes.sort())
})

test("the README names every exported function", async () => {
  const signing = await import("../src/index.ts")
  const named = Object.keys(signing).filter((name) => !readme.includes(name))
  expect(named).toEqual(["parseEvent"])
})
