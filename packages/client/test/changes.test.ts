import { expect, test } from "vitest"
import { makeClient, reply } from "./support/fake.ts"

const turns = async () => {
  for (let step = 0; step < 20; step += 1) await new Promise((resolve) => setImmediate(resolve))
}

test("changes open a stream that a proxy ends in order again after 500 ms, and after twice as long each time", async () => {
  const { clock, seen, tapedeck } = makeClient([reply(200, " ", { "content-type": "text/event-stream" })])
  const ending = new AbortController()
  const reading = tapedeck.changes({ signal: ending.signal }).next()
  await turns()
  expect(seen).toHaveLength(1)
  for (const [index, ms] of [500, 1000, 2000].entries()) {
    clock.advance(ms - 1)
    await turns()
    expect(seen).toHaveLength(index + 1)
    clock.advance(1)
    await turns()
    expect(seen).toHaveLength(index + 2)
  }
  ending.abort()
  await expect(reading).rejects.toThrow("aborted")
})
