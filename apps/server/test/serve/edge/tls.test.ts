import { renameSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { type ConnectionOptions, connect } from "node:tls"
import { describe, expect, onTestFinished, test } from "vitest"
import { first, type Pair, second } from "../../support/certificates.ts"
import { listening, run, said, temporaryFolder } from "../../support/command.ts"
import { asAdmin, startedWith } from "../../support/people.ts"

/** The pair as files that are replaced as certbot does, by renaming. */
const files = () => {
  const folder = temporaryFolder()
  const at = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }
  const replace = (file: string, text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  const put = ({ cert, key }: Pick<Pair, "cert" | "key">) => {
    replace(at.cert, cert)
    replace(at.key, key)
  }
  return { ...at, put, options: ["--tls-cert", at.cert, "--tls-key", at.key] }
}

/** Whose certificate the server shows; rejects where there is no handshake. */
const shownBy = (baseUrl: string, options: ConnectionOptions = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl)
    // The certificate is not trusted; only its name matters here.
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.once("error", reject)
  })

const get = (url: string) =>
  new Promise<{ readonly status: number | undefined; readonly headers: NodeJS.Dict<string | ReadonlyArray<string>> }>(
    (resolve, reject) => {
      const sent = request(url, { headers: asAdmin, ca: first.cert }, (answer) => {
        answer.resume()
        resolve({ status: answer.statusCode, headers: answer.headers })
      })
      sent.once("error", reject).end()
    }
  )

describe("A server with a certificate", () => {
  test("supports TLS 1.2 and newer, uses https in its links, and sends HSTS", async () => {
    const pair = files()
    pair.put(first)
    const server = await listening([...startedWith(), ...pair.options])
    expect(server.view.base_url).toMatch(/^https:/)
    expect(server.view.public_url).toMatch(/^https:/)
    const answer = await get(`${server.view.base_url}/api/v2/recordings`)
    expect(answer.status).toBe(200)
    expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000")
    const old = { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const
    await expect(shownBy(server.view.base_url, old)).rejects.toThrow(/alert|protocol|version/i)
    await expect(shownBy(server.view.base_url, { maxVersion: "TLSv1.2" })).resolves.toBe(first.name)
  })

  test("is reloaded when its files change, and kept if the new one is invalid", async () => {
    const pair = files()
    pair.put(first)
    const server = await listening([...startedWith(), ...pair.options])
    const { base_url } = server.view
    pair.put({ cert: second.cert, key: first.key })
    const kept = JSON.parse(await said(server, "TLS certificate not reloaded"))
    expect(kept).toMatchObject({
      level: "error",
      message: "TLS certificate not reloaded, the present one stays in use",
      reason: expect.stringContaining("are not a certificate and its key in PEM")
    })
    expect(await shownBy(base_url)).toBe(first.name)
    pair.put(second)
    await said(server, "TLS certificate reloaded")
    expect(await shownBy(base_url)).toBe(second.name)
    expect(server.output.err).not.toContain(first.key.split("\n")[1])
  })

  test("is reloaded in a folder with frequent changes, and an error is logged once", async () => {
    const pair = files()
    pair.put(first)
    const server = await listening([...startedWith(), ...pair.options])
    const log = setInterval(() => writeFileSync(`${pair.cert}.log`, "a line", { flag: "a" }), 20)
    onTestFinished(() => clearInterval(log))
    pair.put({ cert: second.cert, key: first.key })
    await said(server, "TLS certificate not reloaded")
    pair.put(second)
    await said(server, "TLS certificate reloaded")
    pair.put({ cert: "none", key: second.key })
    await said(server, "no start line")
    pair.put(first)
    await expect.poll(() => shownBy(server.view.base_url)).toBe(first.name)
    expect(server.output.err.match(/TLS certificate not reloaded/g)).toHaveLength(2)
  })

  test("is checked on SIGHUP, and the server continues", async () => {
    const pair = files()
    pair.put(first)
    const server = await listening([...startedWith(), ...pair.options])
    writeFileSync(pair.cert, "garbage")
    server.child.kill("SIGHUP")
    await said(server, "TLS certificate not reloaded")
    expect((await get(`${server.view.base_url}/healthz`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })
})

describe("The start ends with the name of the option or variable for", () => {
  const refusal = async (...options: ReadonlyArray<string>) =>
    run(["serve", "--store", "memory", "--port", "0", ...options])

  test("a missing file of a certificate, which it names", async () => {
    const { cert, key, put } = files()
    put(first)
    expect(await refusal("--tls-cert", `${cert}.missing`, "--tls-key", key)).toMatchObject({
      code: 2,
      err: `tapedeck: --tls-cert: ${cert}.missing: no such file\n`
    })
  })

  test("a key of another certificate, which it names", async () => {
    const { options, put } = files()
    put({ cert: first.cert, key: second.key })
    const { code, err } = await refusal(...options)
    expect([code, err]).toEqual([2, expect.stringContaining("--tls-cert and --tls-key: ")])
    expect(err).not.toContain(second.key.split("\n")[1])
  })

  test("a certificate without a key, which it names", async () => {
    const { cert } = files()
    expect(await refusal("--tls-cert", cert)).toMatchObject({
      code: 2,
      err: "tapedeck: --tls-cert and TAPEDECK_TLS_KEY: set both, or neither\n"
    })
  })
})

test("a server on a public address without TLS does not start, unless plain HTTP is enabled (R26)", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "rec.example.com"]) {
    const refused = await run(["serve", "--port", "0", ...startedWith(), "--host", host])
    expect(refused).toMatchObject({ code: 2, out: "" })
    expect(refused.err).toContain(`--host: requests and tokens would cross the network unencrypted, as ${host} is`)
    expect(refused.err).toContain("TAPEDECK_INSECURE_HTTP=on")
  }
  expect(await run(["config", "--host", "0.0.0.0"])).toMatchObject({ code: 2, out: "" })
  // A dispatcher answers no requests but the probes: it has another reason not to start here.
  const dispatcher = await run(["serve", "--host", "0.0.0.0", "--role", "dispatcher"])
  expect(dispatcher.err).toContain("--role: ")
  expect(dispatcher.err).not.toContain("--host")
})

test("a server with plain HTTP enabled logs a warning, unless a trusted proxy ends TLS", async () => {
  const open = await listening([...startedWith(), "--host", "0.0.0.0", "--insecure-http", "on"])
  await open.stop()
  expect(open.output.err).toContain("requests and tokens cross the network unencrypted")
  const behind = await listening([...startedWith(), "--host", "0.0.0.0", "--trusted-proxies", "10.0.0.0/8"])
  await behind.stop()
  expect(behind.output.err).not.toContain('"level":"warn"')
})
