import { readFileSync } from "node:fs"
import { join, matchesGlob } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../../../..")

test.each(["apps/server/Dockerfile", "packages/emulator/Dockerfile"])("%s pins its base images by digest", (path) => {
  const bases = [...readFileSync(join(root, path), "utf8").matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(bases.length).toBeGreaterThan(0)
  for (const base of bases) expect(base).toMatch(/^node:24-slim@sha256:[0-9a-f]{64}$/)
})

test.each([
  ".tapedeck",
  "tapedeck-data",
  "apps/server/tapedeck-data",
  "any/tapedeck.db",
  "any/tapedeck.db-wal",
  "any/.env"
])("images are built without %s", (path) => {
  const patterns = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  expect(patterns.some((pattern) => matchesGlob(path, pattern))).toBe(true)
})
