import { afterAll, expect, test } from "vitest"
import { ada, bob, uuid } from "../../support/acme.ts"
import { Emulator } from "../../support/emulator.ts"
import { exchangeOf, type Step, withoutRequestIds } from "../../support/exchange.ts"
import { hooked } from "../../support/hooks.ts"
import type { Call } from "../../support/http.ts"
import type { WorldObject } from "../../support/shapes.ts"
import { blackbox } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** The same start document and the same calls, in two processes on two ports: the same bytes. */

const fixtures = hooked(
  [500, "timeout", { status: 503, headers: { "x-a": "b" }, body: "busy", after: "PT2S" }, "reset", 200],
  { secret: undefined },
  {
    users: [
      { id: 11, email: "ada@acme.test", name: "Ada", role: "admin", token: ada },
      { id: 12, email: "bob@acme.test", name: "Bob", token: bob },
      { email: "gen@acme.test", name: "Gen" }
    ],
    accounts: [{ id: 1, name: "Acme" }],
    audit_destinations: [{ name: "SIEM", url: "sink:crm", secret: "s" }]
  }
)
const world = "/worlds/same"
const path = `/api/v2/recordings/${uuid(1)}`
const post = (json: unknown): Call => ({ method: "POST", json })

const steps: ReadonlyArray<Step> = [
  ["/_emulator/worlds", post({ id: "same", seed: 7, now: "2026-05-01T00:00:00Z", fixtures })],
  [`${world}/_emulator`],
  [`${world}/api/v2/recordings`, { token: ada }],
  [`${world}/api/v2/recordings`],
  [`${world}/api/v2/nope`, { token: bob }],
  [`${world}/api/v2/users`, { token: ada }],
  [`${world}/api/v1/recordings`, { token: bob }],
  [`${world}${path}`, { method: "PATCH", token: ada, json: { recording: { title: "New" } } }],
  [`${world}${path}`, { method: "PATCH", token: ada, json: { recording: { title: null } } }],
  [`${world}${path}`, { method: "DELETE", token: ada }],
  [`${world}/r/${uuid(1)}`],
  [
    `${world}/_emulator/fixtures`,
    post({
      recordings: [{ uuid: uuid(50), video: { original: { size: 5_000 } } }, { title: "No uuid" }],
      users: [{ email: "late@acme.test", name: "Late" }],
      folders: [{ name: "Late" }],
      automations: [{ folder: "f2", url: "sink:crm" }],
      sinks: [{ respond: [200] }]
    })
  ],
  [`${world}/api/v2/recordings/${uuid(50)}/download`, { token: ada }],
  [`${world}/api/v2/recordings/${uuid(50)}/download`, { token: ada, headers: { range: "bytes=10-19" } }],
  [`${world}/api/v2/recordings/${uuid(50)}/transcript`, { token: ada }],
  [`${world}/_emulator/folders/f1/recordings`, post({ recording: uuid(1) })],
  [`${world}/_emulator/folders/f2/recordings`, post({ recording: uuid(2) })],
  [`${world}/_emulator/clock`],
  [`${world}/_emulator/clock/advance`, post({ by: 0 })],
  [`${world}/_emulator/clock/advance`, post({ next: true })],
  [`${world}/_emulator/clock/advance`, post({ to: "2026-05-01T00:20:00Z" })],
  [`${world}/_emulator/clock/advance`, post({ to: "2025-05-01T00:20:00Z" })],
  [`${world}/_emulator/sinks`, post({ respond: [404] })],
  [`${world}/_emulator/clock/advance`, post({ until: "idle" })],
  [`${world}/_emulator/deliveries`],
  [`${world}/_emulator/sinks/crm`],
  [`${world}/api/v2/recordings?page=2`, { token: ada }],
  [`${world}/_emulator/reset`, { method: "POST" }],
  [`${world}/_emulator/folders/f1/recordings`, post({ recording: uuid(3) })],
  [`${world}/_emulator/clock/advance`, post({ until: "idle" })],
  [`${world}/_emulator/deliveries`]
]

export const targets = emulatorAlone

export const suite = (): void => {
  const [first, second] = [new Emulator(), new Emulator()]
  const run = async (emulator: Emulator, list: ReadonlyArray<Step>) => {
    const { base_url } = await emulator.ready()
    const answers = []
    for (const [each, call] of list) {
      answers.push(exchangeOf(await emulator.fetch(each, call), base_url))
    }
    return answers
  }

  blackbox(first, "Determinism", () => {
    afterAll(() => second.stop())

    test("two processes on different ports give the same bytes, with all headers, at each step", async () => {
      const ready: ReadonlyArray<WorldObject> = [await first.ready(), await second.ready()]
      expect(ready[0]?.base_url).not.toBe(ready[1]?.base_url)
      const [one, other] = [await run(first, steps), await run(second, steps)]
      for (const [index, answer] of one.entries()) expect(other[index]).toEqual(answer)
      expect(Math.max(...one.map(({ status }) => status))).toBeLessThan(500)
    })

    test("an additional read changes no later id, token, secret or signature", async () => {
      const again = steps.map(([each, call]): Step => {
        const json = each === "/_emulator/worlds" ? { ...(call?.json as object), id: "read" } : call?.json
        return [each.replace(world, "/worlds/read"), json === undefined ? call : { ...call, json }]
      })
      const reads: ReadonlyArray<Step> = ["/api/v2/recordings", "/api/v2/users", path, "/_emulator/clock"].map(
        (each) => [`/worlds/read${each}`, { token: ada }]
      )
      const plain = await run(first, again)
      const mixed = await run(
        second,
        again.flatMap((step, index) => (index === 0 ? [step, ...reads] : [step]))
      )
      expect(withoutRequestIds(mixed.toSpliced(1, reads.length))).toEqual(withoutRequestIds(plain))
    })
  })
}
