import { EmulatorError, type FixturesDocument, startEmulator } from "@tapedeck/emulator"

export const fixtures: FixturesDocument = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
  sinks: [{ id: "crm", respond: [500, "timeout", { status: 200, after: "PT5S" }] }]
}

export const use = async (): Promise<readonly [string, number | undefined, string | null]> => {
  const emulator = await startEmulator({ fixtures, config: { vendor: "Acme" } })
  const world = await emulator.createWorld({ now: "2026-01-01T00:00:00.000Z" })
  const { fired, next } = await world.clock.advance({ by: "PT1M" })
  const [delivery] = await world.deliveries({ state: "waiting" })
  if (delivery === undefined) throw new EmulatorError(404, "there is none")
  return [delivery.attempts[0]?.at ?? next?.at ?? "", fired[0]?.attempt, delivery.next_attempt_at]
}

export const wrong = async () => {
  const emulator = await startEmulator()
  // @ts-expect-error: no such key
  await emulator.clock.advance({ byy: 1 })
  // @ts-expect-error: no such state
  await emulator.deliveries({ state: "done" })
  // @ts-expect-error: not a text
  await emulator.fixtures({ users: [{ email: 1, name: "Ada" }] })
}
