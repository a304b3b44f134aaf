import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { oldNodeProblem } from "../src/command.ts"

const manifests = ["../../../apps/server", "../../emulator"]

describe("oldNodeProblem", () => {
  it.each(manifests)("requires the version that the manifest of %s requires", (folder) => {
    const { engines } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, import.meta.url), "utf8"))
    const [, oldest = ""] = /^>=([\d.]+)$/.exec(engines.node) ?? []
    expect(oldNodeProblem("tapedeck", `${oldest}.0`)).toBe(undefined)
    expect(oldNodeProblem("tapedeck", "22.18.9")).toContain(`needs Node.js ${oldest} or newer`)
  })

  it.each(["22.19.0", "22.20.1", "23.0.0", "24.21.0"])("returns no problem for %s", (version) => {
    expect(oldNodeProblem("tapedeck", version)).toBe(undefined)
  })

  it.each(["14.0.0", "20.20.2", "22.18.0"])(
    "returns one line with the required version and what to do on %s",
    (version) => {
      expect(oldNodeProblem("tapedeck", version)).toBe(
        `tapedeck needs Node.js 22.19 or newer, and this is ${version}: ` +
          "install Node.js 24 from https://nodejs.org, or run `nvm install 24`"
      )
    }
  )
})
