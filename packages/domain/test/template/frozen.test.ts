import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import {
  type AddedToFolder,
  defaultTemplate,
  type Json,
  noEventParts,
  type RecordingUuid,
  templateValues
} from "../../src/index.ts"
import { renderTemplate } from "../../src/template/index.ts"
import { acme, aRecording, instant, vipFolder } from "../examples.ts"

/** Numbers below 1 that are the same in every run (mulberry32). */
const numbersFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const pieces = [
  "Checkout",
  " ",
  '"',
  "\\",
  "\n",
  "{{event}}",
  "ü",
  "日本",
  "😀",
  "\ud83d",
  "\0",
  "\u2028",
  "</script>",
  "x"
]

const generated = (seed: number): AddedToFolder => {
  const next = numbersFrom(seed)
  const upTo = (limit: number) => Math.floor(next() * limit)
  const text = () => Array.from({ length: upTo(12) }, () => pieces[upTo(pieces.length)]).join("")
  const maybe = <A>(value: () => A): A | null => (next() < 0.3 ? null : value())
  const errors = (): ReadonlyArray<Json> =>
    Array.from({ length: upTo(4) }, () =>
      next() < 0.5 ? text() : { message: text(), status: upTo(600), nested: [text()] }
    )
  const uuid = `7d0f3c1e-0000-4000-8000-${String(seed).padStart(12, "0")}` as RecordingUuid
  const url = `https://t.test/r/${uuid}`
  return {
    recording: aRecording({
      uuid,
      title: maybe(text),
      summary: maybe(text),
      description: maybe(text),
      customerEmail: maybe(text),
      durationSeconds: maybe(() => upTo(10_000)),
      browser: maybe(text),
      os: maybe(text),
      consoleLogs: maybe(() => `[error] ${text()}\n[info] ${text()}`)
    }),
    ...noEventParts,
    errors: { consoleErrors: maybe(errors), networkErrors: maybe(errors) },
    folder: { ...vipFolder, name: text() },
    account: { ...acme, name: text() },
    links: { url, videoUrl: `${url}/video?access=1`, thumbnailUrl: `${url}/thumbnail?access=1` },
    vendor: "Tapedeck",
    at: instant("2026-01-01T10:00:00Z")
  }
}

it("the default payload of 200 generated recordings has the bytes that it had before custom payloads had more variables", () => {
  const hash = createHash("sha256")
  for (let seed = 1; seed <= 200; seed++) {
    hash.update(`${renderTemplate(defaultTemplate, templateValues(generated(seed)))}\n`)
  }
  expect(hash.digest("hex")).toBe("5c8465c98d2c30406185ced3977004b1f13cc8beaa37abfde4624b006c54e88e")
})
