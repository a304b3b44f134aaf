import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { createServer as createNetServer, type Server } from "node:net"
import { join } from "node:path"
import { startBackend } from "@tapedeck/storage/testing/s3"
import { expect, onTestFinished, test } from "vitest"
import { listening, runProcess, said, temporaryFolder } from "./support/command.ts"
import { keepFiles, leaksIn, secret } from "./support/planted.ts"
import { aVideo } from "./uploads/trial.ts"

/** What opens the services that the server is connected to is in nothing that the server writes, also where they refuse it. */

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

/** A mail server that refuses every authentication. */
const mailServer = async () => {
  const seen: Array<string> = []
  const server = createNetServer((socket) => {
    socket.on("error", () => {})
    socket.write("220 localhost\r\n")
    socket.setEncoding("utf8").on("data", (line: string) => {
      seen.push(line)
      if (/^AUTH /i.test(line)) return void socket.write("535 not you\r\n")
      socket.write(/^EHLO/i.test(line) ? "250-localhost\r\n250 AUTH PLAIN\r\n" : "250 yes\r\n")
    })
  })
  return { port: await portOf(server), seen }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += piece
  return text
}

/** A provider that refuses every sign-in, and reports what it received. */
const provider = async () => {
  const seen: Array<string> = []
  let issuer = ""
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    response.setHeader("content-type", "application/json")
    if (request.url === "/token") {
      seen.push(body + request.headers.authorization)
      const text = `not with ${request.headers.authorization} and ${body}`
      return void response.writeHead(401).end(JSON.stringify({ error: "invalid_client", error_description: text }))
    }
    const endpoints = { authorization_endpoint: `${issuer}/go`, token_endpoint: `${issuer}/token` }
    response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/keys` }))
  })
  issuer = `http://127.0.0.1:${await portOf(server)}`
  return { issuer, seen }
}

const collector = async () => {
  const seen: Array<string> = []
  const server = createServer(async (request, response) => {
    seen.push(await bodyOf(request))
    response.end()
  })
  return { url: `http://127.0.0.1:${await portOf(server)}`, seen }
}

const password = "correct horse battery staple"

test("no log, error, metric, trace or backup contains the secrets of mail, a provider, a bucket or a database", async () => {
  const [mail, idp, traces, bucket] = [await mailServer(), await provider(), await collector(), await startBackend()]
  onTestFinished(() => bucket.close())
  const client = secret("client")
  const planted = {
    smtp: secret("smtp"),
    client,
    // The form in which it is sent to the provider.
    basic: Buffer.from(`tapedeck:${client}`).toString("base64"),
    code: secret("code"),
    bucket: secret("bucket"),
    database: secret("database"),
    collector: secret("collector")
  }
  const folder = temporaryFolder()
  const [data, backup] = [join(folder, "data"), join(folder, "backup")]
  const smtpFile = join(folder, "smtp")
  writeFileSync(smtpFile, `smtp://ann:${planted.smtp}@127.0.0.1:${mail.port}\n`)
  const environment = {
    TAPEDECK_DATA: data,
    TAPEDECK_SMTP_URL_FILE: smtpFile,
    TAPEDECK_MAIL_FROM: "tapes@acme.test",
    TAPEDECK_OIDC_ISSUER: idp.issuer,
    TAPEDECK_OIDC_CLIENT_ID: "tapedeck",
    TAPEDECK_OIDC_CLIENT_SECRET: planted.client,
    TAPEDECK_FILES: `s3://${bucket.bucket}/secrets`,
    TAPEDECK_S3_ENDPOINT: bucket.proxy.url,
    TAPEDECK_S3_ACCESS_KEY_ID: bucket.credentials.accessKeyId,
    TAPEDECK_S3_SECRET_ACCESS_KEY: planted.bucket,
    TAPEDECK_OTLP_ENDPOINT: traces.url,
    TAPEDECK_OTLP_HEADERS: `authorization=Basic ${planted.collector}`,
    TAPEDECK_METRICS_PORT: "0",
    TAPEDECK_ACCESS_LOG: "on",
    TAPEDECK_LOG_LEVEL: "trace"
  }
  await runProcess(["account", "create", "Acme"], environment)
  const admin = ["admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada", "--json"]
  const made = JSON.parse((await runProcess(admin, environment)).out) as { token: string; link: { url: string } }

  const written = new Map<string, string>()
  const server = await listening([], environment)
  const base = server.view.base_url
  const ask = async (method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const own = { "content-type": "application/json", origin: base, ...headers }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const answer = await fetch(`${base}${path}`, { method, headers: own, redirect: "manual", ...body })
    const text = await answer.text()
    written.set(`${method} ${path.split("?", 1)[0]} ${answer.status}`, text)
    const cookie = answer.headers
      .getSetCookie()
      .map((one) => one.split(";", 1)[0])
      .join("; ")
    return { status: answer.status, text, cookie, location: answer.headers.get("location") ?? "" }
  }

  const token = new URL(made.link.url).searchParams.get("token")
  const { cookie } = await ask("POST", "/api/settings/sign-in/link", { token, password })
  const invited = await ask("POST", "/api/settings/users", { email: "eve@acme.test", name: "Eve" }, { cookie })
  expect(invited.text).toContain('"mail":"failed"')
  expect(mail.seen.join("")).toContain(Buffer.from(`\0ann\0${planted.smtp}`).toString("base64"))
  const there = await ask("GET", "/sign-in/oidc")
  const state = new URL(there.location).searchParams.get("state")
  const back = await ask("GET", `/sign-in/oidc/callback?code=${planted.code}&state=${state}`, undefined, {
    cookie: there.cookie
  })
  expect(back.status).toBe(502)
  expect(idp.seen.join("")).toContain(planted.basic)
  const { text } = await ask("POST", "/api/settings/recordings", { title: "In the bucket" }, { cookie })
  const { uuid } = JSON.parse(text) as { uuid: string }
  const stored = await fetch(`${base}/api/settings/recordings/${uuid}/video`, {
    method: "PUT",
    headers: { "content-type": "video/mp4", authorization: `Bearer ${made.token}` },
    body: new Uint8Array(aVideo(1_000))
  })
  written.set("stored", await stored.text())
  expect(stored.status).toBe(200)
  const metrics = /http:[^"]+\/metrics/.exec(await said(server, "metrics served"))?.[0] ?? ""
  written.set("metrics", await (await fetch(metrics)).text())
  expect((await runProcess(["backup", backup], environment)).code).toBe(0)
  await server.stop()
  keepFiles(written, data, "stopped")
  keepFiles(written, backup, "")
  written.set("log", server.output.err + server.output.out)
  written.set("traces", traces.seen.join("\n"))
  for (const command of [["doctor"], ["config"], ["config", "--json"]]) {
    const { err, out } = await runProcess(command, environment)
    written.set(command.join(" "), out + err)
  }

  const elsewhere = { TAPEDECK_DATA: join(folder, "other") }
  const database = { ...elsewhere, TAPEDECK_DATABASE_URL: `postgres://ann:${planted.database}@127.0.0.1:9/tapedeck` }
  for (const command of [["serve"], ["doctor"], ["account", "list"], ["audit", "verify"], ["migrate"], ["config"]]) {
    const { err, out } = await runProcess(command, database)
    written.set(`database ${command.join(" ")}`, out + err)
  }
  const wrong = { ...elsewhere, TAPEDECK_DATABASE_URL: `mysql://ann:${planted.database}@127.0.0.1/x` }
  written.set("database refused", (await runProcess(["serve"], wrong)).err)

  // What was looked at is what it should be.
  expect(written.get("log")).toContain("sending a mail failed")
  expect(written.get("log")).toContain("sign-in with the OpenID Connect provider failed")
  expect(written.get("traces")).toContain("/sign-in/oidc")
  expect(written.get("config")).toMatch(/^oidc_client_secret +\*{8} /m)
  expect(written.get("database serve")).toContain("it cannot be reached")
  expect(leaksIn(written, planted)).toEqual([])
})
