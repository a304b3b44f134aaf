import { expect, test, vi } from "vitest"
import { runWalks } from "../src/onboarding/runWalks.ts"
import { missingProgram, type Place, type Walk } from "../src/onboarding/Walk.ts"

const walk: Walk = {
  title: "The server",
  pages: ["docs/page.md"],
  maxMinutes: 1,
  missing: () => missingProgram("no-such-program"),
  walk: async () => {}
}

test.each([
  [true, "  not tried: needs no-such-program"],
  [false, "  FAILED   needs no-such-program"]
])("a walk that lacks a program names it, and passes if that is allowed: %s", async (isMissingAllowed, line) => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {})
  expect(await runWalks([walk], {} as Place, { isMissingAllowed })).toBe(isMissingAllowed)
  expect(log.mock.calls.flat()).toContain(line)
  log.mockRestore()
})
