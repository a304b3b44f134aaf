import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Redacted } from "effect"
import { describe, expect, test } from "vitest"
import { openDataDirectory } from "../../src/config/dataDirectory.ts"
import { findKey } from "../../src/config/key/findKey.ts"
import { KeyRefused, parseKey } from "../../src/config/key/keyText.ts"
import { temporaryFolder } from "../support/command.ts"

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
  test("is 32 bytes, in base64, base64url or hex", () => {
    for (const text of [base64, bytes.toString("base64url"), bytes.toString("hex"), `${base64}\n`]) {
      expect(valueOf(parseKey(text, "TAPEDECK_KEY"))).toEqual(bytes)
    }
  })

  test("is refused if it is invalid, with the name of its source and without its text", () => {
    for (const text of ["", "secret-password", base64.slice(4), `${base64}${base64}`]) {
      expect(messageOf(() => parseKey(text, "TAPEDECK_KEY"))).toBe(
        "TAPEDECK_KEY: must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32"
      )
    }
  })
})

describe("The key of a data directory", () => {
  test("is created at the first start, readable by its owner only, and used by the next start", () => {
    const directory = openDataDirectory(join(temporaryFolder(), "data"))
    const first = findKey({}, directory)
    expect(statSync(directory.key).mode & 0o777).toBe(0o600)
    expect(statSync(directory.path).mode & 0o777).toBe(0o700)
    expect(valueOf(findKey({}, directory).key)).toEqual(valueOf(first.key))
    expect(readFileSync(directory.key, "utf8")).toBe(`${valueOf(first.key).toString("base64")}\n`)
  })

  test("is read from the environment if set there", () => {
    const directory = openDataDirectory(temporaryFolder())
    const file = join(directory.path, "elsewhere")
    writeFileSync(file, base64, { mode: 0o600 })
    expect(valueOf(findKey({ TAPEDECK_KEY: base64 }, directory).key)).toEqual(bytes)
    const found = findKey({ TAPEDECK_KEY_FILE: file }, directory)
    expect(valueOf(found.key)).toEqual(bytes)
    chmodSync(file, 0o644)
    expect(messageOf(() => findKey({ TAPEDECK_KEY_FILE: file }, directory))).toBe(
      `TAPEDECK_KEY_FILE: ${file}: other users may read it (0644); chmod 600 ${file}`
    )
    expect(messageOf(() => findKey({ TAPEDECK_KEY: base64, TAPEDECK_KEY_FILE: file }, directory))).toBe(
      "TAPEDECK_KEY and TAPEDECK_KEY_FILE: set one of them"
    )
    expect(messageOf(() => findKey({ TAPEDECK_KEY_FILE: "/nowhere" }, directory))).toBe(
      "TAPEDECK_KEY_FILE: /nowhere: no such file"
    )
  })

  test("is refused if others may read it, with instructions", () => {
    const directory = openDataDirectory(temporaryFolder())
    findKey({}, directory)
    chmodSync(directory.key, 0o640)
    expect(messageOf(() => findKey({}, directory))).toBe(
      `${directory.key}: other users may read it (0640); chmod 600 ${directory.key}`
    )
  })

  test("is not created for an existing database", () => {
    const path = temporaryFolder()
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, "tapedeck.db"), "")
    expect(messageOf(() => findKey({}, openDataDirectory(path)))).toMatch(
      /key: no such file, and the database in .* put it back/
    )
  })
})
