import { once } from "node:events"
import { createServer } from "node:net"
import { OAuth2Server } from "oauth2-mock-server"
import { describe, expect, onTestFinished, test } from "vitest"
import { listening, run, temporaryFolder } from "./support/command.ts"
import { follow, freePort, provider, settings } from "./support/oidc.ts"
import { startedWith } from "./support/people.ts"

/** A server with Ada in it, on a port that it knows: the provider sends people back there. */
const withProvider = async (issuer: string) => {
  const server = await listening([...startedWith(), "--port", String(await freePort())], settings(issuer))
  return { server, base: server.view.base_url }
}

const verified = { email: "ADA@acme.test", email_verified: true }

describe("signing in by an OpenID Connect provider", () => {
  test("signs in users with a verified address, and encrypts the browser's state", async () => {
    const { issuer, say } = await provider(verified)
    const { base, server } = await withProvider(issuer)
    expect((await follow(`${base}/sign-in`)).text).toMatch(/Sign in with .*Acme&#39;s provider/)
    const begun = await follow(`${base}/sign-in/oidc?next=/sign-in/account`, new Map(), issuer)
    const asked = new URL(begun.at).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: "tapedeck",
      redirect_uri: `${base}/sign-in/oidc/callback`,
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256"
    })
    const flow = begun.jar.get("tapedeck_oidc") ?? ""
    for (const name of ["state", "nonce"])
      expect(Buffer.from(flow, "base64url").toString()).not.toContain(asked.get(name))

    const done = await follow(begun.at, begun.jar)
    expect(done).toMatchObject({ at: `${base}/sign-in/account`, status: 200 })
    expect([...done.jar.keys()]).toEqual(["tapedeck_session", "tapedeck_browser"])
    const headers = { cookie: `tapedeck_session=${done.jar.get("tapedeck_session")}` }
    const log = await (await fetch(`${base}/api/settings/audit-entries`, { headers })).json()
    expect(log).toMatchObject({
      audit_entries: [{ event_type: "user.login", metadata: { changes: { method: { to: "oidc" } } } }]
    })

    // In through the ID token's absence of an address: the provider is asked.
    say({})
    expect((await follow(`${base}/sign-in/oidc`)).at).toBe(`${base}/`)

    const refused: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, string]> = [
      [{ email: "ada@acme.test", email_verified: false }, "not verified"],
      [{ email: "ada@acme.test", email_verified: undefined }, "nothing said"],
      [{ email: "unknown@acme.test", email_verified: true }, "no such user"]
    ]
    for (const [claims, what] of refused) {
      say(claims)
      const out = await follow(`${base}/sign-in/oidc`)
      expect(out, what).toMatchObject({ status: 403, text: expect.stringContaining("this server did not") })
      expect([...out.jar.keys()], what).toEqual([])
    }
    await server.stop()
    for (const secret of ["a-client-secret", flow, asked.get("state") ?? "?", headers.cookie.split("=")[1] ?? "?"]) {
      expect(server.output.out + server.output.err).not.toContain(secret)
    }
  })

  test("refuses another browser's answer, a replayed one and a forged one", async () => {
    const { issuer, say } = await provider(verified)
    const { base, server } = await withProvider(issuer)
    const toCallback = async (jar: Map<string, string> = new Map()) => {
      const begun = await follow(`${base}/sign-in/oidc`, jar, issuer)
      return follow(begun.at, jar, "/sign-in/oidc/callback")
    }
    // Without what it began with, or with what another began with.
    const [mine, theirs] = [await toCallback(), await toCallback()]
    expect(await follow(mine.at)).toMatchObject({ status: 400 })
    expect(await follow(mine.at, theirs.jar)).toMatchObject({ status: 401 })
    // A flow that was tampered with.
    const tampered = new Map([
      ["tapedeck_oidc", (mine.jar.get("tapedeck_oidc") ?? "").replace(/^./, (first) => (first === "_" ? "-" : "_"))]
    ])
    expect(await follow(mine.at, tampered)).toMatchObject({ status: 400 })
    // Another nonce in the token; another audience; an error of the provider's.
    for (const claims of [{ nonce: "another" }, { aud: "another" }, { iss: "https://evil.test" }, { exp: 1 }]) {
      say({ ...verified, ...claims })
      expect(await follow(`${base}/sign-in/oidc`), Object.keys(claims)[0]).toMatchObject({ status: 401 })
    }
    const begun = await follow(`${base}/sign-in/oidc`, new Map(), issuer)
    const state = new URL(begun.at).searchParams.get("state")
    const denied = `${base}/sign-in/oidc/callback?error=access_denied&state=${state}`
    expect(await follow(denied, begun.jar)).toMatchObject({ status: 401 })
    await server.stop()
    expect(server.output.err).toContain("sign-in with the OpenID Connect provider failed")
    expect(server.output.err).not.toContain(new URL(mine.at).searchParams.get("code"))
  })

  test("reports a provider that does not answer, and works once it does", async () => {
    const { issuer, server: there } = await provider(verified)
    const { port } = there.address()
    await there.stop()
    const { base } = await withProvider(issuer)
    expect(await follow(`${base}/sign-in/oidc`)).toMatchObject({
      status: 502,
      text: expect.stringContaining("Sign-in with the provider failed")
    })
    await there.start(port, "127.0.0.1")
    expect((await follow(`${base}/sign-in/oidc`)).at).toBe(`${base}/`)
  })
})

describe("a provider that fails", () => {
  /** From the provider's redirect to the server's response, with what happens in between. */
  const returning = async (base: string, issuer: string, meanwhile: () => unknown) => {
    const begun = await follow(`${base}/sign-in/oidc`, new Map(), issuer)
    const back = await follow(begun.at, begun.jar, "/sign-in/oidc/callback")
    await meanwhile()
    return follow(back.at, back.jar)
  }

  test("is 502 when its token endpoint answers 500 or 429, hangs, is down or does not know this server, and 401 when it refuses the code", async () => {
    const { issuer, server: there } = await provider(verified)
    const { base } = await withProvider(issuer)
    type Answer = { statusCode: number; body: unknown }
    const answering = (change: (answer: Answer) => void) => () => there.service.once("beforeResponse", change)
    const responses: ReadonlyArray<readonly [string, number, (answer: Answer) => void]> = [
      ["500", 502, (answer) => Object.assign(answer, { statusCode: 500, body: {} })],
      [
        "500 with an error",
        502,
        (answer) => Object.assign(answer, { statusCode: 500, body: { error: "server_error" } })
      ],
      ["429", 502, (answer) => Object.assign(answer, { statusCode: 429, body: { error: "slow_down" } })],
      [
        "no such client",
        502,
        (answer) => Object.assign(answer, { statusCode: 401, body: { error: "invalid_client" } })
      ],
      ["no such code", 401, (answer) => Object.assign(answer, { statusCode: 400, body: { error: "invalid_grant" } })]
    ]
    for (const [what, status, change] of responses) {
      expect(await returning(base, issuer, answering(change)), what).toMatchObject({ status })
    }
    const { port } = there.address()
    const down = await returning(base, issuer, () => there.stop())
    expect(down).toMatchObject({ status: 502, text: expect.stringContaining("Sign-in with the provider failed") })
    await there.start(port, "127.0.0.1")

    // It accepts connections, and answers nothing.
    const silent = createServer()
    const hangs = await returning(base, issuer, async () => {
      await there.stop()
      silent.listen(port, "127.0.0.1")
      await once(silent, "listening")
    })
    expect(hangs).toMatchObject({ status: 502 })
    silent.close()
  })

  test("is discovered again after a failure", async () => {
    const { issuer, server: there } = await provider(verified)
    const { base } = await withProvider(issuer)
    expect((await follow(`${base}/sign-in/oidc`)).at).toBe(`${base}/`)
    const { port } = there.address()
    const down = await returning(base, issuer, () => there.stop())
    expect(down.status).toBe(502)
    const moved = new OAuth2Server(undefined, undefined, { endpoints: { authorize: "/elsewhere", token: "/moved" } })
    await moved.issuer.keys.generate("RS256")
    moved.service.on("beforeTokenSigning", ({ payload }: { payload: object }) => Object.assign(payload, verified))
    await moved.start(port, "127.0.0.1")
    onTestFinished(() => moved.stop())
    const begun = await follow(`${base}/sign-in/oidc`, new Map(), "/elsewhere")
    expect((await follow(begun.at, begun.jar)).at).toBe(`${base}/`)
  })

  test("is refused when an ID token's signature is not by a key of its JWKS", async () => {
    const { issuer, server: there } = await provider(verified)
    const { base, server } = await withProvider(issuer)
    const forge = (change: (parts: [string, string, string]) => ReadonlyArray<string>) => () =>
      there.service.once("beforeResponse", (answer: { body: { id_token: string } }) => {
        answer.body.id_token = change(answer.body.id_token.split(".") as [string, string, string]).join(".")
      })
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const forgeries: ReadonlyArray<readonly [string, (parts: [string, string, string]) => ReadonlyArray<string>]> = [
      [
        "another's payload",
        ([head, body, signature]) => [
          head,
          encoded({ ...JSON.parse(Buffer.from(body, "base64url").toString()), email: "other@acme.test" }),
          signature
        ]
      ],
      [
        "another signature",
        ([head, body, signature]) => [
          head,
          body,
          signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
        ]
      ],
      ["no algorithm", ([, body]) => [encoded({ alg: "none" }), body, ""]]
    ]
    for (const [what, change] of forgeries) {
      expect(await returning(base, issuer, forge(change)), what).toMatchObject({ status: 401 })
    }
    await server.stop()
  })
})

test("a provider without https is refused at the start, except on this machine", async () => {
  const refused = await run(["config", "--data", temporaryFolder()], settings("http://provider.test"))
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("TAPEDECK_OIDC_ISSUER: must be https") })
})
