import { verify } from "@tapedeck/signing"
import { expect, test } from "vitest"
import { recording, secret, startWorld } from "./world.ts"

test("a webhook is sent again for 14 h 36 min, each time with a valid signature", async () => {
  const world = await startWorld()
  await world.sinks.respond("crm", [500, "timeout", 500, 500, 500, 200])
  await world.addToFolder("vip", recording)
  await world.clock.advance({ until: "idle" })
  const [delivery] = await world.deliveries()
  expect(delivery?.state).toBe("delivered")
  expect(delivery?.attempts.at(-1)?.elapsed_ms).toBe((14 * 60 + 36) * 60_000)
  const { requests } = await world.sinks.get("crm")
  expect(requests).toHaveLength(6)
  for (const { at, body, headers } of requests) {
    await verify({ body: body ?? "", headers, secret, now: new Date(at), scheme: "standard" })
  }
})
