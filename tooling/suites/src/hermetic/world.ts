import { type RunningEmulator, startEmulator } from "@tapedeck/emulator"

type Options = NonNullable<Parameters<typeof startEmulator>[0]>
type Fixtures = NonNullable<Options["fixtures"]>

/** Three people of Acme, and one of another account. Their tokens are their names. */
export const people = {
  accounts: [
    { id: 1, name: "Acme" },
    { id: 2, name: "Other" },
    { id: 3, name: "Closed", api_access: false }
  ],
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada", account: 1 },
    { email: "bob@acme.test", name: "Bob", role: "member", token: "bob", account: 1 },
    { email: "cyd@acme.test", name: "Cyd", role: "member", token: "cyd", account: 1 },
    { email: "otto@other.test", name: "Otto", role: "admin", token: "otto", account: 2 },
    { email: "eve@closed.test", name: "Eve", role: "admin", token: "eve", account: 3 }
  ]
} as const satisfies Fixtures

export const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

/** One recording of Bob's, and a folder whose automation tells the sink `crm` of it. */
export const webhookFixtures = (automation: object = {}, respond: Sink["respond"] = [500]): Fixtures => ({
  recordings: [{ uuid: uuidOf(1), title: "Größe 🎥", user: "bob@acme.test", duration: 42 }],
  folders: [{ id: "vip", name: "VIP" }],
  sinks: [{ id: "crm", respond }],
  automations: [{ id: "a1", folder: "vip", url: "sink:crm", secret: "secret", ...automation }]
})
type Sink = NonNullable<Fixtures["sinks"]>[number]

/** A destination whose sink `siem` is told of every audit entry. */
export const auditFixtures = (destination: object = {}, respond: Sink["respond"] = [200]): Fixtures => ({
  recordings: [{ uuid: uuidOf(1), title: "Old", user: "bob@acme.test", video: { original: { size: 10 } } }],
  sinks: [{ id: "siem", respond }],
  audit_destinations: [{ id: "d1", name: "SIEM", url: "sink:siem", ...destination }]
})

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** An emulator in this process, without a socket. */
export interface World extends RunningEmulator {
  /** The answer to a request, its body parsed where it is JSON. */
  readonly ask: <Body = never>(token: string | null, path: string, init?: Asked) => Promise<Answer<Body>>
}

export interface Asked {
  readonly method?: string
  readonly json?: unknown
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const open: Array<World> = []

/** A world with the people and what is given. */
export const worldOf = async (fixtures: Fixtures = {}, config: Options["config"] = {}): Promise<World> => {
  const emulator = await startEmulator({ fixtures: { ...people, ...fixtures }, config })
  const ask: World["ask"] = async (token, path, { body, headers, json, method = "GET" } = {}) => {
    const sent = json === undefined ? body : JSON.stringify(json)
    const response = await emulator.fetch(path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers
      },
      ...(sent !== undefined && { body: sent })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  const world = Object.assign(emulator, { ask })
  open.push(world)
  return world
}

/** To be called after each test. */
export const closeWorlds = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((world) => world.close()))
}
