import { expect, test } from "vitest"
import { listening } from "../../support/command.ts"
import { asAdmin, startedWith } from "../../support/people.ts"

test("the server lets pages of the configured origins call its API (R25)", async () => {
  const origin = "https://app.example.com"
  const { view } = await listening([...startedWith(), "--cors-origins", `http://localhost:3000,${origin}`])
  const preflight = await fetch(`${view.base_url}/api/v2/recordings`, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "GET" }
  })
  expect(preflight.status).toBe(204)
  const read = await fetch(`${view.base_url}/api/v2/recordings`, { headers: { ...asAdmin, origin } })
  for (const { headers } of [preflight, read]) expect(headers.get("access-control-allow-origin")).toBe(origin)
  const probe = await fetch(`${view.base_url}/healthz`, { headers: { origin } })
  expect(probe.headers.has("access-control-allow-origin")).toBe(false)
})
