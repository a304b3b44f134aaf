import { expect, test } from "vitest"
import { listening } from "../support/command.ts"
import { startedWith } from "../support/people.ts"

interface Line {
  readonly message: string
  readonly [field: string]: unknown
}

const linesOf = (text: string): ReadonlyArray<Line> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

test.each(["SIGTERM", "SIGINT"] as const)(
  "the log of a server begins with its addresses and ends with its stop by %s",
  async (signal) => {
    const options = ["--public-url", "https://rec.acme.test"]
    const server = await listening([...startedWith(), ...options])
    server.child.kill(signal)
    expect(await server.ended).toBe(0)
    expect(linesOf(server.output.err)).toMatchObject([
      {
        level: "info",
        message: "listening",
        address: server.view.base_url,
        public_url: "https://rec.acme.test",
        version: server.view.version,
        role: "all",
        store: "memory"
      },
      { level: "info", message: "stopping", signal },
      { level: "info", message: "stopped" }
    ])
  }
)

test("what is wrong with a setting is a field of the log line", async () => {
  const server = await listening(startedWith(), { TAPEDECK_PAGESIZE: "3" })
  await server.stop()
  expect(linesOf(server.output.err)[0]).toMatchObject({
    level: "warn",
    message: "variable ignored",
    reason: "TAPEDECK_PAGESIZE: there is no such variable (did you mean TAPEDECK_PAGE_SIZE?)"
  })
})
