import { readFileSync } from "node:fs"
import { join } from "node:path"
import { verify, verifyResultSync } from "@tapedeck/signing"
import { expect, test } from "vitest"
import { makeVectors } from "./support/makeVectors.ts"
import { optionsOf, vectors, vectorsDirectory } from "./support/vectors.ts"

test.each(Object.entries(makeVectors()))("vectors/%s equals the result of node:crypto alone", (name, file) => {
  expect(JSON.parse(readFileSync(join(vectorsDirectory, name), "utf8"))).toEqual(file)
})

test.each(vectors)("verify gives the expected result: %s", async (_name, file, vector) => {
  const options = optionsOf(file, vector)
  const result = verifyResultSync(options)
  const { expected } = vector
  expect(
    result.ok ? { valid: true, secret_index: result.value.secretIndex } : { valid: false, code: result.error.code }
  ).toEqual(expected)
  // The same through promises.
  const later = verify(options)
  if (result.ok) expect(await later).toEqual(result.value)
  else await expect(later).rejects.toEqual(result.error)
})

test("the vectors contain each code that a request can cause, and no case twice", () => {
  const names = vectors.map(([name]) => name)
  expect(new Set(names).size).toBe(names.length)
  const codes = new Set(vectors.map(([, , { expected }]) => (expected.valid ? "valid" : expected.code)))
  expect([...codes].sort()).toEqual([
    "header_malformed",
    "header_missing",
    "secret_refused",
    "signature_mismatch",
    "signature_version_unknown",
    "timestamp_too_new",
    "timestamp_too_old",
    "valid"
  ])
})
