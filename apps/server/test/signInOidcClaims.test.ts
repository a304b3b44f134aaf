import { describe, expect, test } from "vitest"
import { listening } from "./support/command.ts"
import { follow, freePort, provider, settings } from "./support/oidc.ts"
import { startedWith } from "./support/people.ts"

type Claims = Readonly<Record<string, unknown>>

/** A provider, a server that uses it, and the outcome of a sign-in: the status of the page where it ended. */
const setUp = async (own: Readonly<Record<string, string>> = {}) => {
  const { issuer, say, server } = await provider({})
  let metadata: Claims = {}
  let userinfo: Claims = {}
  const authentications: Array<unknown> = []
  server.service.on("beforeWellKnownOpenIdConfiguration", (answer: { body: Record<string, unknown> }) => {
    Object.assign(answer.body, metadata)
  })
  server.service.on("beforeUserinfo", (answer: { body: unknown }) => {
    answer.body = { sub: "johndoe", ...userinfo }
  })
  server.service.on("beforeResponse", (_: unknown, request: { headers: Claims; body: Claims }) => {
    authentications.push(request.headers.authorization ?? `post ${request.body.client_secret}`)
  })
  const start = async (changed: Claims = {}) => {
    metadata = changed
    const args = [...startedWith(), "--port", String(await freePort())]
    return (await listening(args, { ...settings(issuer), ...own })).view.base_url
  }
  const signIn = async (base: string, token: Claims, atUserinfo: Claims = {}) => {
    say(token)
    userinfo = atUserinfo
    const { at, status } = await follow(`${base}/sign-in/oidc`)
    return at === `${base}/` ? "signed in" : status
  }
  return { authentications, signIn, start }
}

const ada = "ada@acme.test"

test("encodes a secret with reserved characters for the header as RFC 6749 says", async () => {
  const { authentications, signIn, start } = await setUp({ TAPEDECK_OIDC_CLIENT_SECRET: "a-b_c.d:e+f %ü" })
  const base = await start()
  await signIn(base, { email: ada, email_verified: true })
  expect(authentications).toEqual([`Basic ${Buffer.from("tapedeck:a-b_c.d%3Ae%2Bf+%25%C3%BC").toString("base64")}`])
})

const basic = `Basic ${Buffer.from("tapedeck:a-client-secret").toString("base64")}`

test.each<[string, ReadonlyArray<string> | undefined, string]>([
  ["nothing about it", undefined, basic],
  ["client_secret_basic alone", ["client_secret_basic"], basic],
  ["both", ["client_secret_post", "client_secret_basic"], basic],
  ["client_secret_post alone", ["client_secret_post", "private_key_jwt"], "post a-client-secret"]
])("authenticates as the provider's metadata say, which list %s", async (_, methods, expected) => {
  const { authentications, signIn, start } = await setUp()
  const base = await start({ token_endpoint_auth_methods_supported: methods })
  expect(await signIn(base, { email: ada, email_verified: true })).toBe("signed in")
  expect(authentications).toEqual([expected])
})

describe("an address of which the ID token does not say whether it is verified", () => {
  test("is verified if the userinfo endpoint says so of the same address", async () => {
    const { signIn, start } = await setUp()
    const base = await start()
    expect(await signIn(base, { email: ada }, { email: ada, email_verified: true })).toBe("signed in")
    expect(await signIn(base, { email: ada }, { email: ada, email_verified: "true" })).toBe("signed in")
    expect(await signIn(base, { email: ada }, { email: ada, email_verified: false })).toBe(403)
    expect(await signIn(base, { email: ada }, { email: "eve@acme.test", email_verified: true })).toBe(403)
    expect(await signIn(base, { email: ada }, { email_verified: true })).toBe(403)
    expect(await signIn(base, { email: ada }, {})).toBe(403)
    // No other answer of the provider replaces a claim that the token denies.
    expect(await signIn(base, { email: ada, email_verified: false }, { email: ada, email_verified: true })).toBe(403)
  })

  test("is refused, and not an error of the provider, if there is no userinfo endpoint", async () => {
    const { signIn, start } = await setUp()
    const base = await start({ userinfo_endpoint: undefined })
    expect(await signIn(base, { email: ada })).toBe(403)
    expect(await signIn(base, { email: ada, email_verified: true })).toBe("signed in")
  })

  test("is trusted with TAPEDECK_OIDC_TRUST_EMAIL, unless the provider says that it is not verified", async () => {
    const { signIn, start } = await setUp({ TAPEDECK_OIDC_TRUST_EMAIL: "on" })
    const base = await start()
    expect(await signIn(base, { email: ada })).toBe("signed in")
    expect(await signIn(base, {}, { email: ada })).toBe("signed in")
    expect(await signIn(base, { email: ada, email_verified: false })).toBe(403)
    expect(await signIn(base, { email: ada, email_verified: "false" })).toBe(403)
    expect(await signIn(base, {}, { email: ada, email_verified: false })).toBe(403)
    expect(await signIn(base, { email: "unknown@acme.test" })).toBe(403)
  })
})
