import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { expect, onTestFinished, test } from "vitest"
import { root } from "../src/pages.ts"
import { makeSite } from "../src/site.ts"
import { Reader } from "./support/Reader.ts"

const frameworks = join(root, "packages/signing/ondemand")

/** The folder of a package: the workspace's own by its build, as a registry has it. */
const folderOf = (name: string): string => {
  if (name.startsWith("@tapedeck/")) return join(root, "packages", name.slice("@tapedeck/".length))
  return join(name === "vitest" ? join(import.meta.dirname, "..") : frameworks, "node_modules", name)
}

test("a reader of the site alone tests a webhook, and then a receiver that verifies it", async () => {
  installOnDemand(frameworks)
  const reader = await Reader.start(await makeSite({ base: "/" }), folderOf)
  onTestFinished(() => reader.remove())

  reader.follow("Five minutes")
  const [vitest, ...more] = await reader.do("In a vitest test")
  expect(vitest?.command).toBe("npx vitest run")
  expect(vitest?.output).toMatch(/1 passed/)
  expect(more).toEqual([])

  reader.follow("`@tapedeck/signing`")
  const [receiver] = await reader.do("Test your receiver")
  expect(receiver?.command).toBe("node --test receiver.test.mjs")
  expect(receiver?.output).toMatch(/pass 1/)
})
