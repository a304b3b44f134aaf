import { randomBytes } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { first } from "./support/certificates.ts"
import { listening, runProcess, said, temporaryFolder } from "./support/command.ts"
import { keepFiles, leaksIn, secret } from "./support/planted.ts"

/**
 * S3 and R19 from outside: secrets are planted in every place that can contain one, and searched for in everything
 * that the server writes, in each spelling.
 */

const portOf = (server: Server) => (server.address() as AddressInfo).port

const serve = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return portOf(server)
}

/** Records the bodies that it receives, and answers with a status. */
const recorder = (status: number) => {
  const bodies: Array<string> = []
  const answer: RequestListener = async (request, response) => {
    const pieces: Array<Buffer> = []
    for await (const piece of request) pieces.push(piece as Buffer)
    bodies.push(Buffer.concat(pieces).toString("latin1"))
    response.writeHead(status).end()
  }
  return { bodies, answer }
}

test("the search for secrets finds each encoding of a secret at any offset", () => {
  const value = secret("control")
  for (const before of ["", "a", "ab"]) {
    const long = `${before}${value} and more`
    const written = [long, Buffer.from(long).toString("hex"), Buffer.from(long).toString("base64url")]
    for (const text of written) expect(leaksIn(new Map([["here", text]]), { value })).toEqual(["value: here"])
  }
})

const recording = "00000000-0000-4000-8000-000000000001"

/** What is planted before the server starts, and in requests. */
const plant = () =>
  ({
    key: randomBytes(32),
    ...Object.fromEntries(names.map((name) => [name, secret(name)] as const))
  }) as { readonly key: Buffer } & Readonly<Record<(typeof names)[number], string>>

const names = [
  "token",
  "automation",
  "rotated",
  "automationHeader",
  "destination",
  "destinationHeader",
  "password",
  "wrongPassword",
  "stranger",
  "cookie",
  "refused",
  "collector",
  "transcriber"
] as const

type Planted = ReturnType<typeof plant>

const startDocument = (planted: Planted, url: string) => ({
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: planted.token }],
  folders: [{ id: "f1", name: "VIP" }],
  recordings: [{ uuid: recording, title: "Checkout fails", user: "ada@acme.test" }],
  automations: [
    { id: "a1", folder: "f1", url, secret: planted.automation, headers: { "X-Key": planted.automationHeader } }
  ],
  audit_destinations: [
    { id: "d1", name: "SIEM", url, secret: planted.destination, headers: { "X-Key": planted.destinationHeader } }
  ]
})

/** Everything that writes something down is turned on. */
const environmentWith = (planted: Planted, collector: string, certificate: string) => ({
  TAPEDECK_KEY: planted.key.toString("base64"),
  TAPEDECK_OTLP_HEADERS: `x-collector-key=${planted.collector}`,
  TAPEDECK_TRANSCRIBER_KEY: planted.transcriber,
  TAPEDECK_TRANSCRIBER_URL: "http://127.0.0.1:9/v1",
  TAPEDECK_OTLP_ENDPOINT: collector,
  TAPEDECK_METRICS_PORT: "0",
  TAPEDECK_ACCESS_LOG: "on",
  TAPEDECK_LOG_LEVEL: "trace",
  TAPEDECK_ALLOW_RECEIVERS: "127.0.0.1,::1",
  TAPEDECK_CA_FILE: certificate
})

type Headers = Readonly<Record<string, string>>
type Ask = (method: string, path: string, json?: unknown, headers?: Headers) => ReturnType<ReturnType<typeof asker>>

/** Asks as Ada, unless it is said. What answers say is kept, but for those that show a secret to its owner. */
const asker = (base: string, { token }: Planted, written: Map<string, string>) => {
  return async (method: string, path: string, json?: unknown, headers: Headers = {}) => {
    const answer = await fetch(`${base}/api${path}`, {
      method,
      headers: {
        ...(headers.cookie === undefined && { authorization: `Bearer ${token}` }),
        "content-type": "application/json",
        origin: base,
        ...headers
      },
      ...(json !== undefined && { body: typeof json === "string" ? json : JSON.stringify(json) })
    })
    const text = await answer.text()
    const shows = path.endsWith("/secret") || (method === "POST" && path.endsWith("/tokens"))
    if (!shows) written.set(`${method} ${path} ${answer.status} ${written.size}`, text)
    return { status: answer.status, text, cookie: (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" }
  }
}

/** Sets a password by a link, signs in and makes a token; returns the session and the token. */
const signIn = async (ask: Ask, link: string, { password, wrongPassword }: Planted) => {
  expect((await ask("POST", "/settings/sign-in/link", { token: link, password })).status).toBe(200)
  const eve = { email: "eve@acme.test" }
  expect((await ask("POST", "/settings/sign-in", { ...eve, password: wrongPassword })).status).toBe(401)
  const { cookie } = await ask("POST", "/settings/sign-in", { ...eve, password })
  const made = await ask("POST", "/settings/tokens", { name: "CI" }, { cookie })
  const { token } = JSON.parse(made.text) as { token: string }
  expect((await ask("GET", "/settings/sessions", undefined, { cookie })).status).toBe(200)
  expect((await ask("GET", "/v2/recordings", undefined, { authorization: `Bearer ${token}` })).status).toBe(200)
  return { token, session: cookie.replace(/^[^=]*=/, "") }
}

const succeed = async (ask: Ask, planted: Planted) => {
  for (const [method, path, json] of [
    ["GET", `/v2/recordings?page=1&note=${planted.stranger}`],
    ["PUT", `/settings/recordings/${recording}/folder`, { folder_id: "f1" }],
    ["GET", "/settings/automations/a1/secret"],
    ["POST", "/settings/automations/a1/test"],
    ["POST", "/settings/audit-destinations/d1/test"],
    ["POST", "/settings/automations/a1/secret/rotate", { secret: planted.rotated }],
    ["GET", "/settings/audit-entries"],
    ["GET", "/settings/automations"],
    ["GET", "/settings/automations/a1/deliveries"],
    ["GET", "/settings/audit-destinations/d1/deliveries"]
  ] as const) {
    expect((await ask(method, path, json)).status, path).toBe(200)
  }
}

/** What is refused, with something secret in it. */
const fail = async (ask: Ask, { cookie, refused, stranger }: Planted) => {
  const strange = { authorization: `Bearer ${stranger}` }
  const headers = { "Bad Name": refused, Host: refused, "X-Fine": `${refused}\n` }
  const automation = { folder_id: "f1", url: "https://x.test/", headers, secret: refused.repeat(9) }
  for (const [status, method, path, json, own] of [
    [401, "GET", "/v2/recordings", undefined, strange],
    [401, "GET", `/v1/nothing?access_token=${stranger}`, undefined, strange],
    [401, "GET", "/settings/session", undefined, { cookie: `tapedeck_session=${cookie}` }],
    [422, "POST", "/settings/automations", automation],
    [400, "POST", "/settings/automations", `{"secret": "${refused}", `],
    [422, "PATCH", "/settings/audit-destinations/d1", { signature: refused }],
    [400, "PATCH", "/settings/audit-destinations/d1", { secret: refused }],
    [405, "PUT", "/settings/users", { secret: refused }]
  ] as const) {
    expect((await ask(method, path, json, own)).status, path).toBe(status)
  }
}

test("no log, error, metric, trace, audit entry, database or backup contains a secret", async () => {
  const folder = temporaryFolder()
  const [data, fixtures, backup] = [join(folder, "data"), join(folder, "fixtures.json"), join(folder, "backup")]
  const planted = plant()
  const [hook, collector] = [recorder(500), recorder(200)]
  const url = `https://localhost:${await serve(createTlsServer(first, hook.answer))}/hook`
  const otlp = `http://127.0.0.1:${await serve(createServer(collector.answer))}`
  writeFileSync(join(folder, "ca.pem"), first.cert)
  writeFileSync(fixtures, JSON.stringify(startDocument(planted, url)))
  const environment = environmentWith(planted, otlp, join(folder, "ca.pem"))
  const options = ["--data", data, "--fixtures", fixtures]
  await (await listening(options, environment)).stop()
  const admin = ["admin", "create", "--account", "1", "--email", "eve@acme.test", "--name", "Eve", "--json"]
  const made = await runProcess([...admin, "--data", data], environment)
  const told = JSON.parse(made.out) as { token: string; link: { url: string } }
  const link = new URL(told.link.url).searchParams.get("token") ?? ""

  const written = new Map<string, string>()
  const server = await listening(options, environment)
  const ask = asker(server.view.base_url, planted, written)
  const { session, token } = await signIn(ask, link, planted)
  await succeed(ask, planted)
  await fail(ask, planted)
  await said(server, '"attempt"')
  const metrics = /http:[^"]+\/metrics/.exec(await said(server, "metrics served"))?.[0] ?? ""
  written.set("metrics", await (await fetch(metrics)).text())
  expect((await runProcess(["backup", backup, "--data", data], environment)).code).toBe(0)
  expect(existsSync(join(data, "tapedeck.db-wal"))).toBe(true)
  keepFiles(written, data, "running")
  keepFiles(written, backup, "")
  await server.stop()
  keepFiles(written, data, "stopped")
  for (const command of ["doctor", "config"]) {
    const { err, out } = await runProcess([command, "--json", "--data", data], environment)
    written.set(command, out + err)
  }
  written.set("log", server.output.err)
  written.set("traces", collector.bodies.join("\n"))
  written.set("webhooks", hook.bodies.join("\n"))

  // What was looked at is what it should be.
  expect(written.get("traces")).toContain("deliver automation")
  expect(hook.bodies.length).toBeGreaterThan(2)
  expect(written.get("log")).toContain('"request"')
  expect([...written].filter(([, text]) => text.includes("Checkout fails")).map(([place]) => place)).toEqual(
    expect.arrayContaining([`${join(backup, "tapedeck.db")} `, `${join(data, "tapedeck.db")} stopped`])
  )
  expect(leaksIn(written, { ...planted, link, session, made: token, admin: told.token })).toEqual([])
})
