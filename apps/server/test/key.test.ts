import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Redacted } from "effect"
import { describe, expect, test } from "vitest"
import { openDataDirectory } from "../src/dataDirectory.ts"
import { findKey } from "../src/key/findKey.ts"
import { KeyRefused, parseKey } from "../src/key/keyText.ts"
import { temporaryFolder } from "./support/command.ts"

const bytes = Buffer.from("0123456789abcdef0123456789abcdeé", "latin1")
const base64 = bytes.toString("base64")

const messageOf = (body: () => unknown): string => {
  try {
    body()
  } catch (error) {
    if (error instanceof KeyRefused) return error.message
    throw error
  }
  return "nothing was refused"
}

const valueOf = (key: Redacted.Redacted<Uint8Array>) => Buffer.from(Redacted.value(key))

describe("A key", () => {
  test("is 32 bytes, in either base64 or hex", () => {
    for (const text of [base64, bytes.toString("base64url"), bytes.toString("hex"), `${base64}\n`]) {
      expect(valueOf(parseKey(text, "TAPEDECK_KEY"))).toEqual(bytes)
    }
  })

  test("that is none is refused by the name of its place, and not repeated", () => {
    for (const text of ["", "secret-password", base64.slice(4), `${base64}${base64}`]) {
      expect(messageOf(() => parseKey(text, "TAPEDECK_KEY"))).toBe(
        "TAPEDECK_KEY: must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32"
      )
    }
  })
})

describe("The key of a data directory", () => {
  test("is made at the first start, for its owner alone, and found at the next", () => {
    const directory = openDataDirectory(join(temporaryFolder(), "data"))
    const first = findKey({}, directory)
    expect(statSync(directory.key).mode & 0o777).toBe(0o600)
    expect(statSync(directory.path).mode & 0o777).toBe(0o700)
    expect(valueOf(findKey({}, directory).key)).toEqual(valueOf(first.key))
    expect(readFileSync(directory.key, "utf8")).toBe(`${valueOf(first.key).toString("base64")}\n`)
  })

  test("comes from the environment where that has one", () => {
    const directory = openDataDirectory(temporaryFolder())
    const file = join(directory.path, "elsewhere")
    writeFileSync(file, base64, { mode: 0o600 })
    expect(valueOf(findKey({ TAPEDECK_KEY: base64 }, directory).key)).toEqual(bytes)
    const found = findKey({ TAPEDECK_KEY_FILE: file }, directory)
    expect(valueOf(found.key)).toEqual(bytes)
    expect(found.warning).toBeUndefined()
    chmodSync(file, 0o644)
    expect(findKey({ TAPEDECK_KEY_FILE: file }, directory).warning).toBe(
      `TAPEDECK_KEY_FILE: others may read ${file} (0644)`
    )
    expect(messageOf(() => findKey({ TAPEDECK_KEY: base64, TAPEDECK_KEY_FILE: file }, directory))).toBe(
      "TAPEDECK_KEY and TAPEDECK_KEY_FILE: set one of them"
    )
    expect(messageOf(() => findKey({ TAPEDECK_KEY_FILE: "/nowhere" }, directory))).toBe(
      "TAPEDECK_KEY_FILE: /nowhere: no such file"
    )
  })

  test("is refused where others may read it, with what to do", () => {
    const directory = openDataDirectory(temporaryFolder())
    findKey({}, directory)
    chmodSync(directory.key, 0o640)
    expect(messageOf(() => findKey({}, directory))).toBe(
      `${directory.key}: others than its owner may read it (0640); chmod 600 ${directory.key}`
    )
  })

  test("is not made anew for a database that has one", () => {
    const path = temporaryFolder()
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, "tapedeck.db"), "")
    expect(messageOf(() => findKey({}, openDataDirectory(path)))).toMatch(
      /key: no such file, and the database in .* put it back/
    )
  })
})
