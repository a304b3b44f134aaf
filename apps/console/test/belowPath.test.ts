import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { expect, onTestFinished, test } from "vitest"
import { openTab, webm } from "./support/open.ts"
import { type PathProxy, startPathProxy, startServer } from "./support/server.ts"

const nginx = "/usr/sbin/nginx"

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The configuration of nginx in docs/operating.md. */
const documented = readFence("docs/operating.md", "nginx")

const startNginx = async (path: string): Promise<PathProxy> => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-nginx-"))
  const port = await freePort()
  let running: ReturnType<typeof spawn> | undefined
  return {
    url: `http://localhost:${port}${path}`,
    outside: [],
    passTo: (address) => {
      const file = join(folder, "nginx.conf")
      writeFileSync(
        file,
        `daemon off; pid ${folder}/pid; error_log stderr; events {}
        http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
          fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
          server { listen 127.0.0.1:${port}; ${documented.replace("http://127.0.0.1:4020", address)} } }`
      )
      running = spawn(nginx, ["-c", file, "-p", folder], { stdio: "ignore" })
    },
    close: () => {
      running?.once("exit", () => rmSync(folder, { recursive: true, force: true }))
      running?.kill()
    }
  }
}

const walk = async (proxy: PathProxy): Promise<void> => {
  const { address, link, stop } = await startServer({ options: ["--demo", "--public-url", proxy.url] })
  proxy.passTo(address)
  onTestFinished(async () => {
    proxy.close()
    await stop()
  })
  const page = await openTab()
  const failed: Array<string> = []
  page.on("response", (response) => response.status() >= 400 && failed.push(`${response.status()} ${response.url()}`))
  await page.context().clearCookies()
  await expect.poll(() => page.goto(link).then((response) => response?.status(), String)).toBe(200)
  failed.length = 0
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { name: "Recordings" }).waitFor()
  expect(page.url()).toMatch(new RegExp(`^${proxy.url}/`))

  // A video in parts, by the address that the server gives to the upload.
  const file = join(mkdtempSync(join(tmpdir(), "tapedeck-below-")), "again.webm")
  writeFileSync(file, webm(12 * 1024 * 1024))
  await page.getByRole("link", { name: /Checkout fails in Safari/ }).click()
  await page.getByRole("tab", { name: "Details" }).click()
  await page.getByLabel("Upload another file").setInputFiles(file)
  await page.getByRole("list", { name: "Notices" }).getByText("The video is uploaded.").waitFor()
  const shared = `${proxy.url}/r/${page.url().split("/recordings/")[1]!.slice(0, 36)}`
  await page.reload()
  await page.getByRole("heading", { name: /Checkout fails in Safari/ }).waitFor()

  await page.goto(proxy.url)
  await page.getByRole("heading", { name: "Recordings" }).waitFor()

  // The pages of customers, of integrators, and of the account.
  const customer = await page.context().newPage()
  customer.on(
    "response",
    (response) => response.status() >= 400 && failed.push(`${response.status()} ${response.url()}`)
  )
  await customer.goto(shared)
  await customer.getByRole("heading", { name: /Checkout fails in Safari/ }).waitFor()
  await customer.locator("video").waitFor()
  await customer.goto(`${proxy.url}/api/docs`)
  await customer.getByText("Tapedeck").first().waitFor()
  const made = await page.evaluate(async (base) => {
    const response = await fetch(`${base}/api/settings/capture-links`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "Show us" })
    })
    return (await response.json()) as { readonly url: string }
  }, proxy.url)
  await customer.goto(made.url)
  await customer.getByRole("heading", { name: /asks you for a recording/ }).waitFor()
  await customer.goto(`${proxy.url}/sign-in/account`)
  await customer.getByText("this browser").waitFor()
  await customer.getByRole("button", { name: "Sign out" }).click()
  await customer.getByLabel("E-mail").waitFor()
  expect(customer.url()).toBe(`${proxy.url}/sign-in`)
  await customer.goto(`${proxy.url}/automations`)
  await customer.getByLabel("E-mail").waitFor()
  expect(await customer.locator("[name=next]").inputValue()).toBe("/tapedeck/automations")
  expect(failed.filter((text) => !/^401 |\/favicon.ico$/.test(text))).toEqual([])
  // Browsers ask for the icon of the host itself.
  expect(proxy.outside.filter((target) => target !== "/favicon.ico")).toEqual([])
}

test.each([true, false])(
  "A server below a path is used behind a proxy that keeps the path in requests (%s)",
  async (keepsPath) => {
    await walk(await startPathProxy("/tapedeck", { keepsPath }))
  }
)

test.skipIf(!existsSync(nginx))("A server below a path is used behind nginx as documented", async () => {
  await walk(await startNginx("/tapedeck"))
})
