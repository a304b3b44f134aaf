import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { migrateDatabase } from "@tapedeck/storage/postgres"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { startOwnPostgres, type TestPostgres } from "../../src/postgres/index.ts"
import { cert, key } from "../../src/support/certificate.ts"
import { type Folder, runProcess, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"

const refusalOf = (url: string) =>
  Effect.runPromise(migrateDatabase({ url: Redacted.make(url) })).then(
    () => "",
    (error: Error) => error.message
  )

const changed = (url: string, parameters: Readonly<Record<string, string>>, hostname?: string) => {
  const other = new URL(url)
  for (const [name, value] of Object.entries(parameters)) other.searchParams.set(name, value)
  if (hostname !== undefined) other.hostname = hostname
  return other.href
}

describe("a PostgreSQL with TLS, whose certificate names localhost and 127.0.0.1", () => {
  let postgres: TestPostgres
  let folder: Folder
  let ca: string
  beforeAll(async () => {
    // A machine of its own answers on all of 127.0.0.0/8.
    postgres = await startOwnPostgres({ listen_addresses: "127.0.0.1,127.0.0.2" }, { cert, key })
    folder = await temporaryFolder()
    ca = await folder.write("ca.pem", cert)
  })
  afterAll(async () => {
    await postgres.close()
    await folder.remove()
  })

  test("has every connection encrypted by a server with sslmode=verify-full and the CA's file", async () => {
    const { query, url } = await postgres.createDatabase()
    const own = await temporaryFolder()
    onTestFinished(own.remove)
    const args = ["serve", "--port", "0", "--data", own.path, "--demo", "--json"]
    const { ready, stop } = await startProcess<{ base_url: string }>(serverMain, args, {
      TAPEDECK_DATABASE_URL: changed(url, { sslmode: "verify-full", sslrootcert: ca })
    })
    onTestFinished(stop)
    expect((await fetch(`${ready.base_url}/readyz`)).status).toBe(200)
    const sessions = await query(
      "SELECT ssl, count(*)::int FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'tapedeck%' GROUP BY ssl"
    )
    expect(sessions).toEqual([{ ssl: true, count: expect.any(Number) }])
  })

  test.each([
    ["require", false, "127.0.0.1"],
    ["require", true, "127.0.0.2"],
    ["verify-ca", true, "127.0.0.2"],
    ["verify-full", true, "127.0.0.1"],
    ["disable", false, "127.0.0.2"]
  ])("accepts sslmode=%s, with the CA's file: %s, at %s", async (sslmode, hasCa, host) => {
    const { url } = await postgres.createDatabase()
    expect(await refusalOf(changed(url, { sslmode, ...(hasCa && { sslrootcert: ca }) }, host))).toBe("")
  })

  test.each([
    ["verify-full without its CA", { sslmode: "verify-full" }, /certificate is not trusted .*sslrootcert=FILE$/],
    ["verify-ca without its CA", { sslmode: "verify-ca" }, /certificate is not trusted .*sslrootcert=FILE$/],
    ["a CA's file that is not there", { sslmode: "require", sslrootcert: "/none.pem" }, /\/none\.pem: no such file$/],
    ["an unknown mode", { sslmode: "full" }, /sslmode is full; it has to be one of disable, .*verify-full$/]
  ])("is not used with %s, and the error says what to do", async (_, parameters, refusal) => {
    const { url } = await postgres.createDatabase()
    expect(await refusalOf(changed(url, parameters))).toMatch(refusal)
  })

  test("is not used with a certificate of another name and verify-full", async () => {
    const { url } = await postgres.createDatabase()
    const elsewhere = changed(url, { sslmode: "verify-full", sslrootcert: ca }, "127.0.0.2")
    expect(await refusalOf(elsewhere)).toMatch(/certificate is not trusted .*127\.0\.0\.2/)
  })

  test("is not used with a CA's file that has no certificate", async () => {
    const { url } = await postgres.createDatabase()
    const sslrootcert = await folder.write("empty.pem", "none")
    expect(await refusalOf(changed(url, { sslmode: "verify-full", sslrootcert }))).toMatch(
      /holds no certificate in PEM$/
    )
  })
})

test("sslmode=require refuses a PostgreSQL without TLS, and sslmode=prefer accepts it", async () => {
  const postgres = await startOwnPostgres()
  onTestFinished(postgres.close)
  const { url } = await postgres.createDatabase()
  expect(await refusalOf(changed(url, { sslmode: "require" }))).toMatch(/it does not support TLS: .*sslmode=disable/)
  expect(await refusalOf(changed(url, { sslmode: "prefer" }))).toBe("")
})

/** A server that refuses TLS, and asks for the password by `request` once a client begins a session. */
const fakeServer = async (request: ReadonlyArray<Uint8Array>) => {
  const received: Array<Buffer> = []
  const sockets = new Set<Socket>()
  const sslRequest = 80877103
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      received.push(chunk)
      if (chunk.length === 8 && chunk.readInt32BE(4) === sslRequest) socket.write("N")
      else for (const part of request) socket.write(part)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { readonly port: number }
  return { url: `postgres://tapedeck:very-secret@127.0.0.1:${port}/tapedeck`, received: () => Buffer.concat(received) }
}

const clearText = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const notice = Buffer.from([0x4e, 0, 0, 0, 5, 0])

describe("a PostgreSQL without TLS that requests the password in clear text", () => {
  test.each([
    ["at once", [clearText]],
    ["in pieces", [clearText.subarray(0, 3), clearText.subarray(3, 8), clearText.subarray(8)]],
    ["after a notice", [Buffer.concat([notice, clearText])]],
    ["after it said that none is needed", [authenticationOk, clearText]]
  ])("does not get the password if it requests it %s", async (_, request) => {
    for (const sslmode of ["disable", "prefer", undefined]) {
      const { received, url } = await fakeServer(request)
      const refusal = await refusalOf(sslmode === undefined ? url : changed(url, { sslmode }))
      expect(refusal).toMatch(/it asks for the password in clear text on a connection without TLS: use scram-sha-256/)
      expect(refusal).not.toContain("very-secret")
      expect(received().length).toBeGreaterThan(0)
      expect(received().toString("latin1")).not.toContain("very-secret")
    }
  })

  test("makes the start fail with exit code 5 and the reason", async () => {
    const { received, url } = await fakeServer([clearText])
    const own = await temporaryFolder()
    onTestFinished(own.remove)
    const args = ["serve", "--port", "0", "--data", own.path]
    const { code, stderr } = await runProcess(serverMain, args, { TAPEDECK_DATABASE_URL: url })
    expect([code, stderr]).toEqual([5, expect.stringMatching(/in clear text on a connection without TLS/)])
    expect(received().toString("latin1")).not.toContain("very-secret")
  })
})
