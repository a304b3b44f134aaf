import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const checks = join(import.meta.dirname, "..")
let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "tapedeck-typecheck-"))
  mkdirSync(join(directory, "src"))
  symlinkSync(join(checks, "node_modules"), join(directory, "node_modules"))
  writeFileSync(join(directory, "package.json"), `{ "type": "module" }`)
  writeFileSync(
    join(directory, "tsconfig.json"),
    `{ "extends": "${checks}/../tsconfig/base.json", "include": ["src"] }`
  )
})

afterAll(() => rmSync(directory, { recursive: true }))

const typecheck = (code: string) => {
  writeFileSync(join(directory, "src/a.ts"), `import { Effect } from "effect"\n${code}\n`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checks, "src/typecheck.ts")], {
    cwd: directory,
    encoding: "utf8"
  })
  return { status, output: stdout + stderr }
}

describe("the type check", () => {
  it("passes correct code", () => {
    expect(typecheck("export const a = Effect.succeed(1)")).toEqual({ status: 0, output: "" })
  })

  it("fails on a type error, with its place", () => {
    const { status, output } = typecheck("export const a: string = Effect.succeed(1)")
    expect(status).not.toBe(0)
    expect(output).toMatch(/src\/a\.ts:2 TS2322 /)
  })

  it("fails on an error of Effect's lints", () => {
    const { status, output } = typecheck('export const a = Effect.gen(function* () {\n  Effect.log("lost")\n})')
    expect(status).not.toBe(0)
    expect(output).toMatch(/src\/a\.ts:3 effect\/floatingEffect /)
  })

  it("fails on a warning of Effect's lints", () => {
    const { status, output } = typecheck("export const a = Effect.succeed(undefined)")
    expect(status).not.toBe(0)
    expect(output).toMatch(/src\/a\.ts:2 effect\/effectSucceedWithVoid /)
  })
})
