import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { maxGivenBytes, readGivenFile } from "../../src/config/readGivenFile.ts"
import { run, temporaryFolder } from "../support/command.ts"

test("a file of 1 MiB is read, and one of a byte more is refused", () => {
  const file = join(temporaryFolder(), "file")
  writeFileSync(file, "a".repeat(maxGivenBytes))
  expect(readGivenFile(file)).toHaveLength(maxGivenBytes)
  writeFileSync(file, "a".repeat(maxGivenBytes + 1))
  expect(() => readGivenFile(file)).toThrow("larger than 1 MiB")
})

test("a start refuses files without an end, each by its name", async () => {
  const { code, err } = await run(
    ["serve", "--data", join(temporaryFolder(), "data"), "--config", "/dev/zero", "--ca-file", "/dev/zero"],
    { TAPEDECK_OTLP_HEADERS_FILE: "/dev/zero", TAPEDECK_KEY_FILE: "/dev/zero" }
  )
  expect(code).toBe(2)
  expect(err.match(/larger than 1 MiB/g)).toHaveLength(4)
  for (const name of ["--ca-file", "TAPEDECK_OTLP_HEADERS_FILE", "TAPEDECK_KEY_FILE"]) expect(err).toContain(name)
})
