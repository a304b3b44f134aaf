import {
  defaultServiceConfig,
  type Ids,
  type ServiceConfig,
  SignIn,
  type SignInServices,
  type StoreParts,
  storeOf,
  type UserSettings
} from "@tapedeck/core"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { handler, makeWorld } from "./world.ts"

const password = "correct horse battery staple"

const origin = "http://localhost"

interface Sent {
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Another host than localhost. */
  readonly at?: string
}

/** A world in which Ada has a password; `isTls`: the server ends TLS itself. */
const makeSignIn = async (options: { readonly isTls?: boolean; readonly publicUrl?: string } = {}) => {
  const passwordCost = { ln: 4, r: 1, p: 1 }
  const world = await makeWorld({
    config: {
      ...(options.publicUrl && { publicUrl: options.publicUrl }),
      signIn: { ...defaultServiceConfig.signIn, passwordCost, isTls: options.isTls ?? false }
    }
  })
  const { context } = world
  const run = <A, E>(effect: Effect.Effect<A, E, StoreParts | Ids | ServiceConfig | SignInServices | UserSettings>) =>
    Effect.runPromise(Effect.provideContext(effect, context))
  await run(
    Effect.gen(function* () {
      const [store, signIn] = [yield* storeOf("transaction", "users"), yield* SignIn]
      const user = (yield* store.users.byEmail("ada@acme.test"))!
      yield* store.transaction(signIn.keepPassword(user, yield* signIn.hash(password)))
    })
  )
  const call = async (what: string, { at = origin, cookie, headers, json }: Sent = {}) => {
    const [method = "", path = ""] = what.split(" ")
    const request = new Request(`${at}${path}`, {
      method,
      headers: {
        host: new URL(at).host,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(cookie !== undefined && { cookie }),
        ...headers
      },
      ...(json !== undefined && { body: JSON.stringify(json) })
    })
    const response = await handler(request, context)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
  }
  const signIn = (sent: Sent = {}) =>
    call("POST /api/settings/sign-in", {
      json: { email: "ada@acme.test", password },
      headers: { origin: sent.at ?? origin },
      ...sent
    })
  return { ...world, call, run, signIn, entries: () => world.memory.state().auditEntries.valuesArray() }
}

/** The cookies that the answer gives: the session's is the first. */
const cookiesOf = ({ headers }: { readonly headers: Headers }): ReadonlyArray<string> => headers.getSetCookie()

/** What a browser sends back of the session's cookie. */
const cookieOf = (answer: { readonly headers: Headers }): string => (cookiesOf(answer)[0] ?? "").split(";", 1)[0] ?? ""

const fromHere = { origin }

describe("signing in", () => {
  it("sets an HttpOnly cookie and returns the user, without caching", async () => {
    const world = await makeSignIn()
    const answer = await world.signIn()
    expect(answer).toMatchObject({
      status: 200,
      body: {
        user: { email: "ada@acme.test", role: "admin" },
        account: { id: 1, name: "Acme", helpdesk_addresses: {} }
      }
    })
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const [session, browser, ...more] = cookiesOf(answer)
    expect(session).toMatch(/^tapedeck_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(browser).toMatch(
      /^tapedeck_browser=[\w-]{22}\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/
    )
    expect(more).toEqual([])
    expect(JSON.stringify(answer.body)).not.toContain(cookieOf(answer).split("=")[1])
  })

  it("opens the settings API only: v2 and v1 require a token", async () => {
    const world = await makeSignIn()
    const cookie = cookieOf(await world.signIn())
    expect(await world.call("GET /api/settings/session", { cookie })).toMatchObject({
      status: 200,
      body: { user: { email: "ada@acme.test" } }
    })
    expect((await world.call("GET /api/settings/users", { cookie })).status).toBe(200)
    const made = await world.call("POST /api/settings/tokens", { cookie, headers: fromHere, json: { name: "CI" } })
    expect(made).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^tdk_/) } })
    for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/v2/users"]) {
      expect((await world.call(`GET ${path}`, { cookie })).status, path).toBe(401)
    }
    // A token that is sent with a cookie is what counts.
    const headers = { authorization: "Bearer unknown" }
    expect((await world.call("GET /api/settings/users", { cookie, headers })).status).toBe(401)
  })

  it("lists sessions and ends them; signing out removes the cookie", async () => {
    const world = await makeSignIn()
    const [here, there] = [cookieOf(await world.signIn()), cookieOf(await world.signIn())]
    const { sessions } = (await world.call("GET /api/settings/sessions", { cookie: here })).body
    expect(sessions).toHaveLength(2)
    const other = sessions.find(({ current }: { current: boolean }) => !current)
    const ended = await world.call(`DELETE /api/settings/sessions/${other.id}`, { cookie: here, headers: fromHere })
    expect(ended.status).toBe(204)
    expect((await world.call("GET /api/settings/session", { cookie: there })).status).toBe(401)
    const out = await world.call("POST /api/settings/sign-out", { cookie: here, headers: fromHere })
    expect(out.status).toBe(204)
    expect(out.headers.get("set-cookie")).toMatch(/^tapedeck_session=; Max-Age=0; Path=\/;/)
    expect((await world.call("GET /api/settings/session", { cookie: here })).status).toBe(401)
  })

  it("answers 401 for a wrong password, and 429 with Retry-After for too many", async () => {
    const world = await makeSignIn()
    const wrong = { json: { email: "ada@acme.test", password: "not it, I am afraid" } }
    for (let n = 0; n < 10; n++) {
      const answer = await world.signIn(wrong)
      expect(answer).toMatchObject({ status: 401, body: { error: "The e-mail address or the password is wrong" } })
      expect(answer.headers.get("set-cookie")).toBeNull()
    }
    const answer = await world.signIn()
    expect(answer.status).toBe(429)
    expect(answer.headers.get("retry-after")).toBe("900")
  })

  it("is not limited by tries of others in a browser with an earlier sign-in, whose cookie alone gives no access", async () => {
    const world = await makeSignIn()
    const [, browser = ""] = cookiesOf(await world.signIn()).map((cookie) => cookie.split(";", 1)[0])
    const wrong = { json: { email: "ada@acme.test", password: "not it, I am afraid" } }
    for (let n = 0; n < 10; n++) await world.signIn(wrong)
    expect((await world.signIn()).status).toBe(429)
    expect((await world.signIn({ cookie: browser, ...wrong })).status).toBe(401)
    expect((await world.call("GET /api/settings/session", { cookie: browser })).status).toBe(401)
    expect((await world.signIn({ cookie: browser })).status).toBe(200)
  })

  it.each([
    [{ email: "ada@acme.test" }, 422, "password is required"],
    [{ email: 5, password: 5 }, 422, "email must be a string; password must be a string"],
    [[], 400, "The body must be a JSON object"]
  ])("reports the errors of %j", async (json, status, error) => {
    const world = await makeSignIn()
    const answer = await world.signIn({ json })
    expect(answer.status).toBe(status)
    expect(answer.body.error).toContain(error)
  })
})

describe("the connection of a sign-in", () => {
  const secure = /^__Host-tapedeck_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/
  const secureBrowser =
    /^__Host-tapedeck_browser=[\w.-]{66}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/

  it("gets a cookie for encrypted connections and this host only, if it is encrypted", async () => {
    const world = await makeSignIn({ isTls: true })
    const answer = await world.signIn({ at: "https://tapes.test" })
    expect(cookiesOf(answer)[0]).toMatch(secure)
    expect(cookiesOf(answer)[1]).toMatch(secureBrowser)
    const cookie = cookieOf(answer)
    expect((await world.call("GET /api/settings/session", { cookie, at: "https://tapes.test" })).status).toBe(200)
    // One without the prefix may be another host's, or have come unencrypted.
    const planted = { cookie: cookie.replace("__Host-", ""), at: "https://tapes.test" }
    expect((await world.call("GET /api/settings/session", planted)).status).toBe(401)
  })

  it("is refused if it is not encrypted, except on this machine", async () => {
    const world = await makeSignIn({ publicUrl: "http://tapes.test" })
    const answer = await world.signIn({ at: "http://tapes.test" })
    expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining("encrypted connection") } })
    for (const at of ["http://localhost:4020", "http://127.0.0.1:4020", "http://[::1]:4020"]) {
      expect((await world.signIn({ at })).status, at).toBe(200)
    }
    for (const at of ["http://localhost.evil.test", "http://127.0.0.1.evil.test"]) {
      expect((await world.signIn({ at })).status, at).toBe(403)
    }
  })

  it("counts as encrypted if the public address is, because a proxy ends TLS", async () => {
    const world = await makeSignIn({ publicUrl: "https://tapes.test" })
    const answer = await world.signIn({ at: "http://tapes.test", headers: { origin: "https://tapes.test" } })
    expect(cookiesOf(answer)[0]).toMatch(secure)
  })
})

describe("a page of another site", () => {
  const foreign: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ["says another origin", { origin: "https://evil.test" }],
    ["says another port", { origin: "http://localhost:8080" }],
    ["says none", { origin: "null" }],
    ["says nothing", {}],
    ["is said to be of another site", { "sec-fetch-site": "cross-site", origin }],
    ["is said to be of a neighbour", { "sec-fetch-site": "same-site", origin }]
  ]

  it.each(foreign)(
    "changes nothing with a request that %s, although the browser sends the cookie",
    async (_, headers) => {
      const world = await makeSignIn()
      const cookie = cookieOf(await world.signIn())
      const before = world.entries().length
      const changes = [
        ["POST /api/settings/folders", { name: "Theirs" }],
        ["DELETE /api/settings/sessions", undefined],
        ["POST /api/settings/sign-out", undefined],
        ["PATCH /api/settings/account", { name: "Theirs" }]
      ] as const
      for (const [call, json] of changes) {
        expect(await world.call(call, { cookie, headers, ...(json !== undefined && { json }) }), call).toMatchObject({
          status: 403,
          body: { error: "The request was made by a page of another site, or does not say by which" }
        })
      }
      // Once an hour: a page that is left open fills no log.
      expect(world.entries().slice(before)).toMatchObject([
        { eventType: "access.denied", status: "failure", metadata: { targetType: "session" } }
      ])
      expect((await world.call("GET /api/settings/session", { cookie })).status).toBe(200)
    }
  )

  it.each(foreign)("cannot sign in with a request that %s", async (_, headers) => {
    const world = await makeSignIn()
    expect((await world.signIn({ headers })).status).toBe(403)
  })

  it.each([
    ["says this origin", { origin }],
    ["says the public one", { origin: "https://tapedeck.test" }],
    ["is said to be of this one", { "sec-fetch-site": "same-origin", origin: "null" }]
  ])("is not assumed of a request that %s", async (_, headers) => {
    const world = await makeSignIn()
    const cookie = cookieOf(await world.signIn())
    const made = await world.call("POST /api/settings/folders", { cookie, headers, json: { name: "Ours" } })
    expect(made.status).toBe(201)
  })

  it("is not assumed of a request with a token, which no browser sends by itself", async () => {
    const world = await makeSignIn()
    const headers = { authorization: "Bearer ada-token", "sec-fetch-site": "cross-site" }
    expect((await world.call("POST /api/settings/folders", { headers, json: { name: "Ours" } })).status).toBe(201)
  })
})

describe("a revoked token of a known account", () => {
  it("is denied, and an audit entry is written once an hour (A7)", async () => {
    const world = await makeSignIn()
    const cookie = cookieOf(await world.signIn())
    const made = await world.call("POST /api/settings/tokens", { cookie, headers: fromHere, json: { name: "CI" } })
    const revoked = await world.call(`DELETE /api/settings/tokens/${made.body.id}`, { cookie, headers: fromHere })
    expect(revoked.status).toBe(204)
    const before = world.entries().length
    const headers = { authorization: `Bearer ${made.body.token}` }
    for (const path of ["/api/v2/recordings", "/api/settings/users", "/api/v1/recordings"]) {
      expect((await world.call(`GET ${path}`, { headers })).status).toBe(401)
    }
    const denial = {
      eventType: "access.denied",
      status: "failure",
      metadata: { targetType: "api_token", targetId: made.body.id }
    }
    expect(world.entries().slice(before)).toMatchObject([denial])
    await world.wait(3_600_000)
    await world.call("GET /api/v2/recordings", { headers })
    expect(world.entries().slice(before)).toMatchObject([denial, denial])
  })
})
