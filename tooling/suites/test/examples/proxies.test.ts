import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { cert, key } from "../../src/support/certificate.ts"
import { freePort, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"

const proxies = fileURLToPath(new URL("../../../../apps/server/packaging/proxy/", import.meta.url))

const isInstalled = (program: string, option: string) => spawnSync(program, [option]).status === 0

/** Debian's packages. Without them these tests are skipped. */
const nginx = "/usr/sbin/nginx"
const caddy = "caddy"

const folderOfTest = async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  return folder
}

/** Status and `location` of a response. */
const ask = async (port: number, path: string) => {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    ca: cert,
    servername: "localhost",
    headers: { host: "localhost" }
  })
  const [response] = await once(sent.end(), "response")
  response.resume()
  return response.statusCode as number
}

test.skipIf(!isInstalled(nginx, "-v"))(
  "the sample for nginx is valid, redirects to https and passes requests on",
  async () => {
    const folder = await folderOfTest()
    const [plain, secure] = [await freePort(), await freePort()]
    const { ready, stop } = await startProcess<{ readonly base_url: string }>(serverMain, [
      "serve",
      ...["--store", "memory", "--data", join(folder.path, "data"), "--port", "0", "--ffmpeg", "off", "--json"],
      ...["--trusted-proxies", "127.0.0.1"]
    ])
    onTestFinished(stop)
    const sample = readFileSync(join(proxies, "nginx.conf"), "utf8")
      .replaceAll(/^ *listen \[::\].*\n/gm, "")
      .replace("listen 80;", `listen 127.0.0.1:${plain};`)
      .replace("listen 443 ssl;", `listen 127.0.0.1:${secure} ssl;`)
      .replaceAll("rec.acme.example;", "localhost;")
      .replace(/ssl_certificate .*;/, `ssl_certificate ${await folder.write("cert.pem", cert)};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${await folder.write("key.pem", key)};`)
      .replace("http://127.0.0.1:4020", ready.base_url)
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder.path}/${name};`
    )
    const file = await folder.write(
      "nginx.conf",
      `daemon off; pid ${folder.path}/pid; error_log stderr; events {} http { access_log off; ${paths.join(" ")} ${sample} }`
    )
    execFileSync(nginx, ["-t", "-q", "-c", file, "-p", folder.path])
    const running = spawn(nginx, ["-c", file, "-p", folder.path], { stdio: "ignore" })
    onTestFinished(async () => {
      running.kill()
      await once(running, "close")
    })
    await expect.poll(() => ask(secure, "/readyz").catch(() => 0), { timeout: 10_000 }).toBe(200)
    expect(await ask(secure, "/api/v2/recordings")).toBe(401)
    const redirected = await fetch(`http://127.0.0.1:${plain}/a?b=c`, { redirect: "manual" })
    expect(redirected.status).toBe(301)
    expect(new URL(redirected.headers.get("location")!)).toMatchObject({
      protocol: "https:",
      pathname: "/a",
      search: "?b=c"
    })
  }
)

test.skipIf(!isInstalled(caddy, "version"))("the sample for Caddy is valid", async () => {
  const folder = await folderOfTest()
  const args = ["validate", "--adapter", "caddyfile", "--config", join(proxies, "Caddyfile")]
  const env = { ...process.env, HOME: folder.path }
  expect(execFileSync(caddy, args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] })).toContain("Valid")
})
