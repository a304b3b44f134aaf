import { AccessTokens, MASK, wholeStore } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import type { AuditEntry } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import { fixtures } from "./fixtures.ts"
import { settingsBody } from "./settingsShapes.ts"
import type { Answered } from "./shapes.ts"
import { makeWorld } from "./world.ts"

export { MASK }

/** The fixtures, with folders and webhooks in Acme (1) and in Other (2). */
const settingsFixtures = {
  ...fixtures,
  folders: [
    { id: "vip", name: "VIP", account: 1 },
    { id: "bugs", name: "Bugs", account: 1 },
    { id: "theirs", name: "Theirs", account: 2 }
  ],
  automations: [
    {
      id: "crm",
      folder: "vip",
      url: "https://crm.test/hook",
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      headers: { "X-Api-Key": "k-4711" }
    },
    { id: "off", folder: "bugs", url: "https://off.test/", secret: "k", enabled: false },
    { id: "foreign", folder: "theirs", url: "https://foreign.test/", secret: "k" }
  ],
  audit_destinations: [
    { id: "siem", account: 1, name: "SIEM", url: "https://siem.test/", secret: "s", max_retries: 2 },
    { id: "abroad", account: 2, name: "Abroad", url: "https://abroad.test/" }
  ]
}

export interface Asked {
  /** Whose; the part of the e-mail before the `@`. Ada, Acme's admin, unless it is said. */
  readonly as?: string
  /** By an access token, or, unless it is said, in a session. */
  readonly by?: "token" | "session"
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream
  readonly headers?: Record<string, string>
}

const names = ["ada", "bob", "cy", "oz", "ned", "nia"]

/** A world with sessions of all users, called through the settings API. */
export const makeSettings = async (
  options: Pick<NonNullable<Parameters<typeof makeWorld>[0]>, "config" | "testAnswer" | "unknownContent"> = {}
) => {
  const world = await makeWorld({ fixtures: settingsFixtures, ...options })
  await world.run(
    Effect.gen(function* () {
      const store = yield* wholeStore
      const tokens = yield* AccessTokens
      for (const name of names) {
        const user = yield* store.users.byEmail(`${name}@acme.test`)
        yield* tokens.create({ user: user!, name: "Session", kind: "session", text: `${name}-session` })
      }
    })
  )

  const ask = async (call: string, asked: Asked = {}): Promise<Answered> => {
    const [method = "", path = ""] = call.split(" ")
    const { as = "ada", by = "session", headers, json, ...rest } = asked
    const target = `/api/settings${path}`
    const response = await world.fetch(target, {
      method,
      as: null,
      headers: { authorization: `Bearer ${as}-${by}`, ...headers },
      ...(json !== undefined && { json }),
      ...rest
    })
    return { status: response.status, headers: response.headers, body: await settingsBody(method, target, response) }
  }

  return {
    ...world,
    ask,
    /** Audit entries so far. */
    entries: (): ReadonlyArray<AuditEntry> => world.memory.state().auditEntries.valuesArray(),
    deliveries: (): Promise<ReadonlyArray<Delivery>> => world.run(world.memory.store.deliveries.list({}))
  }
}
