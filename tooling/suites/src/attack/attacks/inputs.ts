import type { Random } from "../../determinism/Random.ts"
import { type Arena, inTurns } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"

/** Line 19: documents that are slow to read, or larger once they are read. */

const importTo = async (arena: Arena, type: string, body: string, statuses: ReadonlyArray<number>, error?: RegExp) => {
  const path = `/api/settings/recordings/${await arena.recording()}/transcript/import`
  return arena.must(path, { method: "PUT", headers: { "content-type": type }, body }, statuses, error)
}

/** Pieces that a regular expression for times, numbers or tags may try over and over. */
const pieces = [
  " ",
  "\t",
  "0",
  "00:",
  "00:00:",
  "00:00:00,000",
  "-",
  "--",
  "-->",
  " -->",
  "--> ",
  "<",
  "<v ",
  "<b>",
  "{\\an8}",
  "{",
  ".",
  ","
]

const hostileLine = (random: Random, length: number): string => {
  const parts = random.list(1, 4, () => random.pick(pieces))
  const repeated = parts.map((part) => part.repeat(Math.ceil(length / parts.length / part.length))).join("")
  return (
    random.pick(["", "1\n", "00:00:01,000 --> 00:00:02,000\n"]) +
    repeated.slice(0, length) +
    random.pick(["", "x", "\n", "->"])
  )
}

const transcriptText: Attack = {
  name: "transcript-text",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const spaces = arena.of(100_000, 5_000)
    const known = [
      `1\n00:00:01,000${" ".repeat(spaces)}x`,
      `1\n${" ".repeat(spaces)}-->`,
      `1\n${"0".repeat(spaces)}:`,
      `1\n00:00:01,000 --> 00:00:02,000${" ".repeat(spaces)}x`
    ]
    const random = Array.from({ length: arena.of(60, 6) }, () => hostileLine(arena.random, spaces))
    for (const text of [...known, ...random]) {
      await importTo(arena, "application/x-subrip", text, [200, 422], /Line \d+, column \d+/)
      await importTo(arena, "text/vtt", `WEBVTT\n\n${text}`, [200, 422], /Line \d+, column \d+/)
    }
  }
}

const wordsAndSegments: Attack = {
  name: "words-times-segments",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const document = (segments: number, words: number) =>
      JSON.stringify({
        segments: Array.from({ length: segments }, (_, n) => ({ start: n, end: n + 1, text: "a" })),
        words: Array.from({ length: words }, (_, n) => ({ start: n / 2, end: n / 2 + 0.5, word: "a" }))
      })
    await importTo(arena, "application/json", document(arena.of(8_000, 2_000), arena.of(6_000, 2_000)), [200, 422])
    await importTo(arena, "application/json", document(50_001, 0), [422], /at most 50000 segments/)
    if (arena.isFull) {
      await importTo(arena, "application/json", document(50_000, 200_000), [200, 413, 422])
      await importTo(arena, "application/json", document(1, 250_001), [413, 422], /at most 250000 words|16 MiB/)
    }
  }
}

const placedError: Attack = {
  name: "placed-error-in-long-string",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const length = arena.of(14_000_000, 2_000_000)
    for (const long of ["a".repeat(length), "\\u0041".repeat(Math.floor(length / 6)), "\\n".repeat(length / 2)]) {
      await importTo(arena, "application/json", `{"text":"${long}","segments":5}`, [422], /Line 1, column \d+/)
      await importTo(
        arena,
        "application/json",
        `{"text":"${long}","segments":[{"start":0}]}`,
        [422],
        /Line 1, column \d+/
      )
    }
    await importTo(arena, "application/json", "[".repeat(arena.of(5_000_000, 200_000)), [422], /Line 1, column \d+/)
  }
}

const startDocumentProblems: Attack = {
  name: "start-document-problems",
  line: 19,
  targets: ["emulator"],
  run: async (arena) => {
    const count = arena.of(30_000, 5_000)
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]))
    const wrong = { users: Array.from({ length: count }, (_, n) => ({ email: n })) }
    const folders = { folders: Array.from({ length: count }, (_, n) => ({ id: "same", name: n })) }
    for (const fixtures of [unknown, wrong, folders]) {
      const answered = await arena.must("/_emulator/worlds", { method: "POST", json: { fixtures } }, [400, 413], /\S/)
      arena.check(answered.text.length < 20_000_000, `the refusal has ${answered.text.length} characters`)
    }
    await inTurns(4, 4, () => arena.must("/_emulator/fixtures", { method: "POST", json: unknown }, [400, 413]))
  }
}

/** The text as it stands in JSON, so that a lone surrogate travels as an escape. */
type Row = [method: string, path: string, body: (text: string) => string, status: number]

const ofControlPlane: ReadonlyArray<Row> = [
  ["POST", "/_emulator/fixtures", (text) => `{"folders":[{"name":"${text}"}]}`, 400]
]
const ofSignIn: ReadonlyArray<Row> = [
  ["POST", "/api/settings/sign-in", (text) => `{"email":"${text}@acme.test","password":"x"}`, 400],
  ["POST", "/api/settings/sign-in", (text) => `{"email":"ada@acme.test","password":"${text}"}`, 400]
]

/** Line 22: what no PostgreSQL text and no UTF-8 holds. */
const strings: Attack = {
  name: "nul-and-surrogates",
  line: 22,
  targets: everywhere,
  run: async (arena) => {
    const recording = await arena.recording()
    const bodies: ReadonlyArray<Row> = [
      ["PATCH", `/api/v2/recordings/${recording}`, (text) => `{"recording":{"title":"${text}"}}`, 422],
      ["PATCH", `/api/v2/recordings/${recording}`, (text) => `{"recording":{"description":"${text}"}}`, 422],
      ["POST", "/api/settings/recordings", (text) => `{"title":"${text}"}`, 422],
      ["POST", "/api/settings/folders", (text) => `{"name":"${text}"}`, 422],
      ["POST", "/api/settings/users", (text) => `{"email":"new@acme.test","name":"${text}"}`, 422],
      ["PATCH", "/api/settings/account", (text) => `{"name":"${text}"}`, 422],
      ["POST", "/api/settings/audit-destinations", (text) => `{"name":"${text}","url":"https://siem.test/"}`, 422],
      [
        "PUT",
        `/api/settings/recordings/${recording}/transcript`,
        (text) => `{"segments":[{"start_seconds":0,"text":"${text}"}]}`,
        422
      ],
      ...(arena.target === "emulator" ? ofControlPlane : ofSignIn)
    ]
    for (const [method, path, body, status] of bodies) {
      for (const bad of ["\\u0000", "\\ud800", "\\udc00", "\\udc00\\ud800"]) {
        const before = "a".repeat(arena.random.integer(0, arena.of(200, 5)))
        const headers = { "content-type": "application/json", origin: arena.service.baseUrl }
        await arena.must(path, { method, headers, body: body(`${before}${bad}b`) }, [status])
      }
    }
    for (const query of [
      "/api/v2/recordings?ticket_id=a%00b",
      "/api/v2/users/search?email=a%00b@acme.test",
      "/api/v1/recordings?page=%00"
    ]) {
      await arena.must(query, {}, [400])
    }
  }
}

export const inputs: ReadonlyArray<Attack> = [
  transcriptText,
  wordsAndSegments,
  placedError,
  startDocumentProblems,
  strings
]
