import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, matchesGlob } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { isRegistryReachable } from "../../src/support/dockerfile.ts"
import { temporaryFolder } from "../../src/support/process.ts"

const root = join(import.meta.dirname, "../../../..")

const basesOf = (path: string) =>
  [...readFileSync(join(root, path), "utf8").matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)

test.each(["apps/server/Dockerfile", "packages/emulator/Dockerfile"])(
  "%s pins the image in which it builds by digest, and its result has no base",
  (path) => {
    const [build, ...others] = basesOf(path)
    expect(build).toMatch(/^node:24-slim@sha256:[0-9a-f]{64}$/)
    expect(others).toEqual(["scratch"])
  }
)

test("apps/server/ffmpeg.Dockerfile adds libraries of the system with which the server's image is built", () => {
  expect(basesOf("apps/server/ffmpeg.Dockerfile")).toEqual([basesOf("apps/server/Dockerfile")[0], "tapedeck-server"])
})

test.each([
  ".tapedeck",
  "tapedeck-data",
  "apps/server/tapedeck-data",
  "any/tapedeck.db",
  "any/tapedeck.db-wal",
  "any/.env",
  "packages/client/ondemand/.installing-1"
])("images are built without %s", (path) => {
  const patterns = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  expect(patterns.some((pattern) => matchesGlob(path, pattern))).toBe(true)
})

test("a registry that answers with an error fails a build, and only one that is not reached skips it", async () => {
  const folder = await temporaryFolder()
  const registry = createServer((_, response) => response.writeHead(500).end()).listen(0, "127.0.0.1")
  onTestFinished(async () => {
    registry.close()
    await folder.remove()
  })
  await new Promise((resolve) => registry.once("listening", resolve))
  await folder.write(".npmrc", `registry=http://127.0.0.1:${(registry.address() as AddressInfo).port}/`)
  await expect(isRegistryReachable(folder.path)).rejects.toThrow("E500")
  await new Promise((resolve) => registry.close(resolve))
  expect(await isRegistryReachable(folder.path)).toBe(false)
})
