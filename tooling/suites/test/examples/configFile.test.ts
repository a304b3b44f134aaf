import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import { parse } from "yaml"

const root = new URL("../../../../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")

const validate = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(read("apps/server/packaging/tapedeck.schema.json"))
)
const isValid = (yaml: string) => validate(parse(yaml))

test("the schema of tapedeck.yaml accepts the packaged file and the sample of docs/operating.md", () => {
  expect(isValid(read("apps/server/packaging/tapedeck.yaml"))).toBe(true)
  const [, sample = ""] = /tapedeck\.yaml <<'END'\n([\s\S]*?)END/.exec(read("docs/operating.md")) ?? []
  expect(sample).toContain("public_url")
  expect(isValid(sample)).toBe(true)
})

test("the schema of tapedeck.yaml accepts values at their limits and refuses those beyond, and unknown names", () => {
  for (const valid of ["port: 65535", "concurrency: 1", "quota_bytes: off", "quota_bytes: 20GB", "access_log: true"])
    expect(isValid(valid), valid).toBe(true)
  for (const invalid of [
    "port: 65536",
    "concurrency: 0",
    "quota_uploads: none",
    "access_log: 1",
    "role: node",
    "prot: 1"
  ])
    expect(isValid(invalid), invalid).toBe(false)
})
