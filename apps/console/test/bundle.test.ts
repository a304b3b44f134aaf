import { readdirSync, readFileSync, statSync } from "node:fs"
import { auditSchedule, folderSchedule, MAX_AUDIT_RETRIES } from "@tapedeck/domain/delivery"
import { expect, test } from "vitest"
import { headersText, readHeaders } from "../src/automations/headersText.ts"
import { auditDelaysMs, automationDelaysMs, plan } from "../src/deliveries/schedule.ts"
import { elapsed } from "../src/ui/format.ts"

const dist = new URL("../dist/", import.meta.url)
const maxFirstLoadBytes = 200_000
const maxFirstLoadFiles = 10
const maxRecorderBytes = 25_000
const maxScriptBytes = 12_000
const maxRedactorBytes = 8_000

/** The scripts that a document loads, following static imports. */
const firstLoad = (document = "index.html"): ReadonlySet<string> => {
  const html = readFileSync(new URL(document, dist), "utf8")
  const files = new Set([...html.matchAll(/assets\/([^"]+\.js)"/g)].map(([, name]) => name ?? ""))
  for (const file of files) {
    const text = readFileSync(new URL(`assets/${file}`, dist), "utf8")
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) files.add(name ?? "")
  }
  return files
}

const compressedBytes = (names: ReadonlySet<string>): number =>
  [...names].reduce((sum, name) => sum + statSync(new URL(`assets/${name}.gz`, dist)).size, 0)

test("the first load is at most 200 kB of JavaScript, compressed, in at most 10 files", () => {
  expect(compressedBytes(firstLoad())).toBeLessThanOrEqual(maxFirstLoadBytes)
  expect(firstLoad().size).toBeLessThanOrEqual(maxFirstLoadFiles)
})

test("the recorder's page loads at most 25 kB of JavaScript, compressed, and nothing of React", () => {
  expect(compressedBytes(firstLoad("capture.html"))).toBeLessThanOrEqual(maxRecorderBytes)
  expect([...firstLoad("capture.html")].filter((name) => name.startsWith("base-"))).toEqual([])
})

test("capture.js is one file of at most 12 kB, compressed, without Effect, and imports the redactor alone, of at most 8 kB", () => {
  expect(statSync(new URL("capture.js.gz", dist)).size).toBeLessThanOrEqual(maxScriptBytes)
  expect(statSync(new URL("capture-redactor.js.gz", dist)).size).toBeLessThanOrEqual(maxRedactorBytes)
  const [script, redactor] = ["capture.js", "capture-redactor.js"].map((name) =>
    readFileSync(new URL(name, dist), "utf8")
  )
  expect(script!.match(/\bimport\b[^`]*`[^`]*`/g)).toEqual([expect.stringContaining("/capture-redactor")])
  expect(script).not.toMatch(/~effect/)
  expect(redactor).not.toMatch(/\bimport\b|~effect/)
})

test.each(["PayloadEditor", "Charts"])("the first load does not contain %s", (chunk) => {
  expect([...firstLoad()].filter((name) => name.includes(chunk))).toEqual([])
  expect(readdirSync(new URL("assets/", dist)).some((name) => name.startsWith(chunk))).toBe(true)
})

/** A document without the addresses of the form that its server replaces, and without other slashes of HTML. */
const withoutAddresses = (html: string) =>
  html.replace('<base href="/">', "").replaceAll(/="\.\/[\w./-]+"|<\/\w+>|="image\/svg\+xml"/g, "")

test("the documents have no address of a form that servers, and pages with the emulator, leave as it is", () => {
  for (const name of ["index.html", "capture.html"])
    expect(withoutAddresses(readFileSync(new URL(name, dist), "utf8"))).not.toContain("/")
  for (const other of ["='./a'", '="/a"', '="assets/a"', '="./a 1x, ./b 2x"', '="../a"', '="https://a.test"', "(./a)"])
    expect(withoutAddresses(`<a b${other}></a>`)).toContain("/")
})

test("the schedules equal those of the service", () => {
  expect(automationDelaysMs).toEqual(folderSchedule)
  expect(auditDelaysMs).toEqual(auditSchedule(MAX_AUDIT_RETRIES))
  expect(plan(automationDelaysMs).map(({ afterMs }) => (afterMs === 0 ? "first" : elapsed(afterMs)))).toEqual([
    "first",
    "1 m",
    "6 m",
    "36 m",
    "2 h 36 m",
    "14 h 36 m"
  ])
})

test("headers are read as they are written, and an invalid line is named", () => {
  const headers = { "X-Api-Key": "a: b", "X-Empty": "" }
  expect(readHeaders(headersText(headers))).toEqual({ headers, problem: undefined })
  expect(readHeaders("X-A: 1\nnonsense").problem).toBe("Line 2 is not “Name: value”.")
  expect(readHeaders("X-A: 1\nX-A: 2").problem).toBe("Line 2 names X-A for the second time.")
  expect(readHeaders("Constructor: 1\nconstructor: 2").problem).toBeUndefined()
})
