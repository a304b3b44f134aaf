import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type FixturesRefused, locate, parseFixtures, readFixturesText } from "../src/cli/fixturesFile.ts"
import { temporaryFolder } from "./support/command.ts"

const refusalOf = (text: string, file = "f.yaml"): Promise<string> =>
  parseFixtures(file, text).then(
    (document) => `taken: ${JSON.stringify(document)}`,
    (error: FixturesRefused) => error.message
  )

describe("A fixtures file", () => {
  test("can be YAML or JSON", async () => {
    const document = { folders: [{ id: "f1", name: "VIP" }], recordings: [] }
    expect(await parseFixtures("f.yaml", "folders: [{ id: f1, name: VIP }]\nrecordings: []\n")).toEqual(document)
    expect(await parseFixtures("f.json", JSON.stringify(document))).toEqual(document)
    expect(await parseFixtures("f", JSON.stringify(document))).toEqual(document)
  })

  test("can have instants as text, and anchors", async () => {
    const text = "a: &a { at: 2026-01-01T09:00:00.000Z }\nb: *a\n"
    const at = { at: "2026-01-01T09:00:00.000Z" }
    expect(await parseFixtures("f.yaml", text)).toEqual({ a: at, b: at })
  })

  test.each([
    ["a: [1, 2\nb: 3", "f.yaml:2:1: "],
    ["users:\n  - name: b: c", "f.yaml:2:11: Nested mappings are not allowed in compact mappings"],
    ["users:\n\t- x", "f.yaml:2:1: Tabs are not allowed as indentation"],
    ["a: 1\na: 2", "f.yaml:2:1: Map keys must be unique"],
    ["a: 1\n---\nb: 2", "f.yaml:2:1: Source contains multiple documents"],
    ["a: 1\nb: !secret x", "f.yaml:2:4: Unresolved tag: !secret"],
    ["a: 1\nb: *c", "f.yaml:2:4: no anchor &c before this alias"],
    ["a: &a\n  - [*a]", "f.yaml:2:6: *a refers to itself"]
  ])("is refused with line and column if it cannot be parsed (%j)", async (text, message) => {
    expect(await refusalOf(text)).toContain(message)
  })

  test("is refused if its anchors expand to more than memory holds", async () => {
    const tenfold = (of: string) => `[${Array.from({ length: 10 }, () => of).join(", ")}]`
    const text = `a: &a ${tenfold("x")}\nb: &b ${tenfold("*a")}\nc: &c ${tenfold("*b")}\nd: ${tenfold("*c")}`
    expect(await refusalOf(text)).toBe("f.yaml:1:1: the aliases expand to more than a start document may contain")
  })

  test("is refused with the position where its JSON ends", async () => {
    expect(await refusalOf('{\n  "users": [}\n}', "f.json")).toMatch(/^f\.json:2:13: /)
  })

  test("does not appear in errors, because it contains secrets", async () => {
    for (const text of [
      'token: "tdk_verysecret',
      "a: tdk_verysecret: x",
      "{ tdk_verysecret ]",
      "a: 'b' tdk_verysecret"
    ]) {
      expect(await refusalOf(text)).toMatch(/^f\.yaml:1:\d+: (?!.*tdk_verysecret)/)
    }
  })

  test("is refused with its name if it cannot be read", async () => {
    const folder = await temporaryFolder()
    const [gone, binary, locked] = ["gone.yaml", "binary.yaml", "locked.yaml"].map((name) => join(folder, name))
    await mkdir(join(folder, "sub"))
    await writeFile(binary!, Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]))
    await writeFile(locked!, "a: 1")
    await chmod(locked!, 0)
    expect(() => readFixturesText(gone!)).toThrow(`${gone}: no such file`)
    expect(() => readFixturesText(join(folder, "sub"))).toThrow(`${folder}/sub: is a folder, not a file`)
    expect(() => readFixturesText(binary!)).toThrow(`${binary}: is not UTF-8 text`)
    // root reads everything.
    if (process.getuid?.() !== 0) expect(() => readFixturesText(locked!)).toThrow("this user may not read it")
  })
})

describe("Errors of a start document", () => {
  const text = `users:
  - { email: a@b.c, name: A, nmae: 3 }
recordings: &all
  - uuid: 7
    helpdesk: { platform: zendesk,
      "ticket id": 5 }
`
  const placeOf = async (path: string) => {
    const [{ column, line } = {}] = await locate(text, [{ path, message: "is not valid" }])
    return line === undefined ? null : `${line}:${column}`
  }

  test.each([
    ["users", "1:1"],
    ["users[0]", "2:5"],
    ["users[0].nmae", "2:30"],
    ["recordings[0].uuid", "4:5"],
    ['recordings[0].helpdesk["ticket id"]', "6:7"]
  ])("have a position: %s", async (path, place) => {
    expect(await placeOf(path)).toBe(place)
  })

  test("have the position of the containing value, or none", async () => {
    expect(await placeOf("recordings[0].title")).toBe("4:5")
    expect(await placeOf("recordings[0].helpdesk.user_id")).toBe("5:5")
    expect(await placeOf("folders")).toBe(null)
    expect(await placeOf("")).toBe(null)
  })
})
