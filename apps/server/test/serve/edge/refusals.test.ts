import { expect, test } from "vitest"
import { listening } from "../../support/command.ts"
import { asAdmin, startedWith } from "../../support/people.ts"

test("The server answers 429 beyond 300 refused requests of an address a minute, and serves valid ones (R18)", async () => {
  const { view } = await listening(startedWith())
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${view.base_url}/api/v2/recordings`, { headers })
    await response.arrayBuffer()
    return response.status
  }
  const refused = { authorization: "Bearer unknown" }
  for (let n = 0; n < 300; n++) expect(await ask(refused)).toBe(401)
  expect(await ask(refused)).toBe(429)
  expect(await ask(asAdmin)).toBe(200)
})
