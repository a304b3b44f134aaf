import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { listening, run, said, temporaryFolder } from "./support/command.ts"
import { mailServer } from "./support/mailServer.ts"
import { startedWith } from "./support/people.ts"

const password = "correct horse battery staple"

const post = (base: string, path: string, json: unknown, cookie = "") =>
  fetch(`${base}/api/settings${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base, ...(cookie !== "" && { cookie }) },
    body: JSON.stringify(json)
  })

const cookieOf = (response: Response): string => (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""

const tokenIn = (text: string): string => /token=([\w-]{43})/.exec(text)?.[1] ?? ""

/** A server whose admin is signed in. */
const withAdmin = async (smtpUrl: string) => {
  const data = join(temporaryFolder(), "data")
  await run(["account", "create", "Acme", "--data", data])
  const args = ["admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada", "--json"]
  const { link } = JSON.parse((await run([...args, "--data", data])).out) as { link: { url: string } }
  const environment = { TAPEDECK_SMTP_URL: smtpUrl, TAPEDECK_MAIL_FROM: "Tapedeck <tapes@acme.test>" }
  const server = await listening(["--data", data], environment)
  const base = server.view.base_url
  const cookie = cookieOf(await post(base, "/sign-in/link", { token: tokenIn(link.url), password }))
  return { server, base, cookie }
}

describe("sign-in mail", () => {
  test("contains the links of invitations and of forgotten passwords", async () => {
    const mail = await mailServer()
    const { base, cookie, server } = await withAdmin(mail.url)
    const invited = await post(base, "/users", { email: "grace@acme.test", name: "Grace" }, cookie)
    expect(invited.status).toBe(201)
    const { invitation } = (await invited.json()) as { invitation: { url: string; mail: string } }
    expect(invitation.mail).toBe("sent")
    const text = await mail.next()
    expect(text).toContain("From: Tapedeck <tapes@acme.test>")
    expect(text).toContain("To: grace@acme.test")
    expect(text).toContain(invitation.url)
    const token = tokenIn(text)
    expect((await post(base, "/sign-in/link", { token, password })).status).toBe(200)

    for (const email of ["unknown@acme.test", "GRACE@acme.test"]) {
      const asked = await post(base, "/sign-in/forgotten", { email })
      expect([asked.status, await asked.json()]).toEqual([
        202,
        { message: "If a user has this address, a mail is on its way." }
      ])
    }
    const forgotten = await mail.next()
    expect(forgotten).toContain("To: grace@acme.test")
    expect((await post(base, "/sign-in/link", { token: tokenIn(forgotten), password })).status).toBe(200)
    await server.stop()
    for (const secret of [token, tokenIn(forgotten), "mail-password", password]) {
      expect(server.output.out + server.output.err).not.toContain(secret)
    }
  })

  test("does not fail an invitation when it is refused: the answer reports it, and the link works", async () => {
    const mail = await mailServer({ refuses: true })
    const { base, cookie, server } = await withAdmin(mail.url)
    const invited = await post(base, "/users", { email: "grace@acme.test", name: "Grace" }, cookie)
    expect(invited.status).toBe(201)
    const { invitation } = (await invited.json()) as { invitation: { url: string; mail: string } }
    expect(invitation.mail).toBe("failed")
    expect((await post(base, "/sign-in/link", { token: tokenIn(invitation.url), password })).status).toBe(200)
    await server.stop()
    expect(server.output.err).toContain("sending a mail failed")
    for (const secret of [tokenIn(invitation.url), "mail-password"]) expect(server.output.err).not.toContain(secret)
  })
})

describe("mail about recordings", () => {
  test("is sent by the next process if one ended before, as text and HTML, with the link that turns it off", async () => {
    const mail = await mailServer()
    const data = join(temporaryFolder(), "data")
    const file = join(temporaryFolder(), "fixtures.json")
    writeFileSync(
      file,
      JSON.stringify({
        users: [
          { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
          {
            email: "bob@acme.test",
            name: "Bob",
            token: "bob-token",
            notifications: { notify_own_recordings: "Disabled" }
          }
        ]
      })
    )
    const environment = {
      TAPEDECK_SMTP_URL: mail.url,
      TAPEDECK_MAIL_FROM: "Tapedeck <tapes@acme.test>",
      TAPEDECK_PUBLIC_URL: "https://rec.acme.test"
    }
    mail.stall()
    const stopped = await listening(["--data", data, "--fixtures", file], environment)
    const create = async (base: string, title: string) => {
      const created = await fetch(`${base}/api/settings/recordings`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer ada-token" },
        body: JSON.stringify({ title })
      })
      return ((await created.json()) as { uuid: string }).uuid
    }
    const uuid = await create(stopped.view.base_url, "Größe <b>&</b>")
    await mail.stalled
    await stopped.stop()

    const server = await listening(["--data", data], environment)
    const sent = await mail.next()
    expect(sent).toContain("To: ada@acme.test")
    expect(sent).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    expect(sent).toContain("Content-Type: text/plain")
    expect(sent).toContain("Content-Type: text/html")
    expect(sent).toContain(`https://rec.acme.test/recordings/${uuid}`)
    expect(sent).toMatch(/<span dir="auto">[^<]*&lt;b&gt;&amp;&lt;\/b&gt;<\/span>/)
    expect(sent.slice(sent.indexOf("<!doctype html>"))).not.toContain("<b>")
    const link = new URL(/Turn off mail about your recordings: (\S+)/.exec(sent)?.[1] ?? "")
    const off = await fetch(`${server.view.base_url}${link.pathname}`, { method: "POST" })
    expect(off.status).toBe(200)

    await fetch(`${server.view.base_url}/api/settings/users/1`, {
      method: "PATCH",
      headers: { "content-type": "application/json", authorization: "Bearer ada-token" },
      body: JSON.stringify({ notifications: { notify_own_recordings: "Enabled" } })
    })
    // A refused mail waits for its retry; the next one is sent meanwhile.
    mail.refuseOne()
    await create(server.view.base_url, "Refused")
    await said(server, "sending a mail failed; retrying later")
    await create(server.view.base_url, "Next")
    expect(await mail.next()).toContain("Subject: Your new recording: Next")
    await server.stop()
  })
})

test("invalid settings of sign-in are refused by their names, and no secret is quoted", async () => {
  const refused = await run(["serve", ...startedWith()], {
    TAPEDECK_SMTP_URL: "mail-password@nowhere",
    TAPEDECK_MAIL_FROM: "no-address",
    TAPEDECK_PASSWORD_SIGN_IN: "off",
    TAPEDECK_OIDC_CLIENT_SECRET: "client-secret"
  })
  expect(refused.code).toBe(2)
  for (const problem of [
    "TAPEDECK_SMTP_URL: must be an smtp or smtps URL",
    "TAPEDECK_MAIL_FROM: must be an e-mail address",
    "TAPEDECK_PASSWORD_SIGN_IN: off requires TAPEDECK_OIDC_ISSUER, or no user can sign in",
    "TAPEDECK_OIDC_CLIENT_SECRET: set TAPEDECK_OIDC_ISSUER and TAPEDECK_OIDC_CLIENT_ID too"
  ]) {
    expect(refused.err).toContain(problem)
  }
  expect(refused.err).not.toContain("mail-password")
  expect(refused.err).not.toContain("client-secret")
})
