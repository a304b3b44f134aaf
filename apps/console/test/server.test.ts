import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cert, key } from "@tapedeck/suites/certificate"
import { startPostgres, unsynced } from "@tapedeck/suites/postgres"
import type { Cookie, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { openTab, webm, writePayload } from "./support/open.ts"
import { startProxy, startServer, type TestServer } from "./support/server.ts"

const password = "correct horse battery staple"

/** Creates the first admin by the printed link. */
const setUp = async (page: Page, link: string): Promise<void> => {
  await page.goto(link)
  for (const [label, value] of [
    ["Account name", "Acme"],
    ["Your name", "Ada Lovelace"],
    ["E-mail", "ada@acme.test"],
    ["Password", password]
  ] as const) {
    await page.getByLabel(label).fill(value)
  }
  await page.getByRole("button", { name: "Set up and sign in" }).click()
  await page.getByRole("heading", { name: "No recordings yet" }).waitFor()
}

/** Signs in by a printed link, which asks for a click. */
const openSignInLink = async (page: Page, link: string): Promise<void> => {
  await page.goto(link)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { name: "Recordings" }).waitFor()
}

const signIn = async (page: Page): Promise<void> => {
  await page.getByLabel("E-mail").fill("ada@acme.test")
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

const open = (page: Page, section: string) => page.getByRole("link", { name: section, exact: true }).click()

/** Zendesk, with one ticket. */
const startZendesk = async (ticket: string) => {
  const notes: Array<{ readonly authorization: string | undefined; readonly body: string }> = []
  const server = createServer({ cert, key }, async (request, response) => {
    const pieces: Array<Buffer> = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const isTicket = request.method === "PUT" && request.url === `/api/v2/tickets/${ticket}.json`
    if (isTicket) notes.push({ authorization: request.headers.authorization, body: Buffer.concat(pieces).toString() })
    response.writeHead(isTicket ? 200 : 404, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { address: `https://127.0.0.1:${port}`, notes, close: () => server.close() && server.closeAllConnections() }
}

const receivers = ["--allow-receivers", "127.0.0.0/8", "--ca-file"]

const stores = {
  SQLite: async (caFile: string) => ({
    server: await startServer({ options: [...receivers, caFile] }),
    close: async () => {}
  }),
  PostgreSQL: async (caFile: string) => {
    const postgres = await startPostgres(unsynced)
    const { url } = await postgres.createDatabase()
    return { server: await startServer({ databaseUrl: url, options: [...receivers, caFile] }), close: postgres.close }
  }
}

describe.each(["SQLite", "PostgreSQL"] as const)("on a server with %s", (store) => {
  let started: { readonly server: TestServer; readonly close: () => Promise<void> }
  let origin = ""

  const folder = mkdtempSync(join(tmpdir(), "tapedeck-walk-"))

  beforeAll(async () => {
    const caFile = join(folder, "ca.pem")
    writeFileSync(caFile, cert)
    started = await stores[store](caFile)
    origin = new URL(started.server.link).origin
  })
  afterAll(async () => {
    await started.server.stop()
    await started.close()
    rmSync(folder, { recursive: true })
  })

  test("the first admin is set up, and a recording with its video is a note in its ticket in Zendesk", async () => {
    const zendesk = await startZendesk("128")
    onTestFinished(() => void zendesk.close())
    const page = await openTab()
    await page.context().clearCookies()
    await setUp(page, started.server.link)
    await open(page, "Folders")
    await page.getByRole("button", { name: "New folder" }).click()
    await page.getByLabel("Name").fill("Refunds")
    await page.getByRole("button", { name: "Create" }).click()
    await page.getByRole("link", { name: "Refunds" }).waitFor()
    await open(page, "Automations")
    await page.getByRole("button", { name: "New automation" }).click()
    await page.getByLabel("Send to").selectOption("Zendesk")
    await page.getByLabel("Address", { exact: true }).fill(zendesk.address)
    await page.getByLabel("E-mail address of the agent").fill("ada@acme.test")
    await page.getByLabel("API token").fill("s3cret")
    await page.getByRole("button", { name: "Fill in the form" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Automation of Refunds" }).waitFor()
    // Zendesk has no ticket of the test's number.
    await page.getByRole("button", { name: "Send test" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: /^Send/ }).click()
    await page.getByRole("region", { name: "Result of the test" }).getByText("Warning").waitFor()
    await open(page, "Recordings")
    await page.getByRole("button", { name: "New recording" }).first().click()
    const form = page.getByRole("dialog")
    await form.getByLabel("Title").fill("How to pay")
    await form.getByLabel("Ticket").fill("https://acme.zendesk.com/agent/tickets/128")
    await form.getByLabel("Video").setInputFiles({ name: "a.webm", mimeType: "video/webm", buffer: webm(1_000) })
    await form.getByRole("button", { name: "Create" }).click()
    await page.getByRole("list", { name: "Notices" }).getByText("The video is uploaded.").waitFor()
    await page.getByRole("region", { name: "Player" }).waitFor()
    await page.getByLabel("Folder", { exact: true }).selectOption({ label: "Refunds" })
    await page.getByRole("button", { name: "Move", exact: true }).click()
    await open(page, "Deliveries")
    // Its attempt succeeds, which shows without a reload.
    await page.getByRole("row", { name: /Delivered/ }).waitFor()
    expect(zendesk.notes).toEqual([
      { authorization: `Basic ${btoa("ada@acme.test/token:s3cret")}`, body: expect.stringContaining("How to pay") }
    ])
    expect(JSON.parse(zendesk.notes[0]!.body)).toMatchObject({ ticket: { comment: { public: false } } })
    await open(page, "Security")
    await page.getByRole("button", { name: /created the automation Refunds → / }).waitFor()
    await open(page, "Personal")
    await page.getByText("This one").waitFor()
    await page.getByRole("button", { name: "New token" }).click()
    await page.getByLabel("Name", { exact: true }).fill("CI")
    await page.getByRole("button", { name: "Create", exact: true }).click()
    const token = (await page.getByText(/^tdk_\w{40,}$/).textContent()) ?? ""
    const read = await fetch(`${origin}/api/v2/recordings`, { headers: { authorization: `Bearer ${token}` } })
    expect(read.status).toBe(200)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(`${origin}/sign-in`)
  })

  test("a page that needs a session leads to sign-in, and back to it", async () => {
    const page = await openTab()
    await page.context().clearCookies()
    await page.goto(`${origin}/folders`)
    await page.waitForURL(/\/sign-in\?next=%2Ffolders$/)
    await signIn(page)
    await page.waitForURL(`${origin}/folders`)
    await page.getByRole("link", { name: "Refunds" }).waitFor()
  })

  test("a session that ends in the middle of work leads to sign-in and back, and no typed text is lost", async () => {
    const page = await openTab()
    await page.context().clearCookies()
    await page.goto(`${origin}/sign-in?next=%2Fautomations%2Fnew`)
    await signIn(page)
    await page.getByLabel("URL").fill("https://demo.invalid/other")
    await page.getByLabel("Headers").fill("X-Api-Key: k1")
    await writePayload(page, '{"text": "{{recording.title}}"}')
    await page.context().clearCookies()
    await page.getByRole("button", { name: "Save" }).click()
    const dialog = page.getByRole("dialog", { name: "Sign in" })
    await dialog.getByLabel("Password").fill(password)
    await dialog.getByRole("button", { name: "Sign in" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await page.getByLabel("URL").inputValue()).toBe("https://demo.invalid/other")
    expect(await page.getByLabel("Headers").inputValue()).toBe("X-Api-Key: k1")
    expect(await page.getByLabel("Payload").textContent()).toContain('{"text": "{{recording.title}}"}')
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Automation of Refunds" }).waitFor()
  })
})

describe("on a server with the demo", () => {
  let server: TestServer
  const directory = mkdtempSync(join(tmpdir(), "tapedeck-upload-"))

  beforeAll(async () => {
    server = await startServer({ options: ["--demo"] })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  const written = (name: string, sizeBytes: number): string => {
    const file = join(directory, name)
    writeFileSync(file, webm(sizeBytes))
    return file
  }

  let session: Promise<ReadonlyArray<Cookie>> | undefined

  /** Signs in by the printed link. It works once, so later tests have the session of the first. */
  const openSignedIn = async (): Promise<Page> => {
    const page = await openTab()
    const context = page.context()
    await context.clearCookies()
    if (session === undefined) {
      session = openSignInLink(page, server.link).then(() => context.cookies())
      await session
    } else await context.addCookies([...(await session)])
    return page
  }

  const openRecording = async (page: Page, origin: string, title: string) => {
    await page.goto(`${origin}/recordings`)
    await page.getByRole("link", { name: title }).first().click()
    await page.getByRole("tab", { name: "Details" }).click()
  }

  test("the demo's link signs its admin in, once, and opens the library", async () => {
    const page = await openSignedIn()
    await page.getByRole("row", { name: /Checkout fails in Safari/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/recordings")
    expect((await page.goto(server.link))?.status()).toBe(404)
  })

  test("an upload whose connection is cut continues where it stopped", async () => {
    const proxy = await startProxy(new URL(server.link).origin, 9 * 1024 * 1024)
    onTestFinished(proxy.close)
    const page = await openSignedIn()
    await openRecording(page, proxy.origin, "Checkout fails in Safari")
    await page.getByLabel("Upload another file").setInputFiles(written("cut.webm", 12 * 1024 * 1024))
    await page.getByRole("progressbar", { name: "Uploaded" }).waitFor()
    await page.getByRole("list", { name: "Notices" }).getByText("The video is uploaded.").waitFor()
    await page.getByText("video/webm, 13 MB").waitFor()
    // From the start again, it would be 21 MiB. Chromium itself repeats a request on a reused connection that was cut.
    expect(proxy.sentBytes()).toBeLessThan(18 * 1024 * 1024)
  })

  test("an upload whose page is loaded again continues when its file is chosen", async () => {
    const proxy = await startProxy(new URL(server.link).origin, Number.POSITIVE_INFINITY)
    onTestFinished(proxy.close)
    const file = written("again.webm", 12 * 1024 * 1024)
    const page = await openSignedIn()
    await openRecording(page, proxy.origin, "How to export your invoices")
    let parts = 0
    await page.route("**/uploads/*", (route) =>
      route.request().method() === "PATCH" && ++parts > 1 ? route.abort() : route.continue()
    )
    await page.getByLabel("Upload another file").setInputFiles(file)
    await page.getByText("8.4 MB of 13 MB").waitFor()
    await page.reload()
    await page.unroute("**/uploads/*")
    await page.getByRole("tab", { name: "Details" }).click()
    await page.getByText("The upload of again.webm was interrupted.").waitFor()
    await page.getByLabel("Choose the file").setInputFiles(file)
    await page.getByRole("list", { name: "Notices" }).getByText("The video is uploaded.").waitFor()
    await page.getByText("video/webm, 13 MB").waitFor()
    expect(proxy.sentBytes()).toBeLessThan(18 * 1024 * 1024)
    await page.getByLabel("Upload another file").waitFor({ state: "attached" })
  })

  test("an upload that was interrupted can be given up, is replaced by another file, and starts again when it is gone", async () => {
    const [file, other] = [written("again.webm", 2_000_000), written("other.webm", 1_000_000)]
    const page = await openSignedIn()
    await openRecording(page, new URL(server.link).origin, "Refund was booked twice")
    const interrupt = async () => {
      await page.route("**/uploads/*", (route) => route.abort())
      await page.getByLabel("Upload another file").setInputFiles(file)
      await page.getByRole("progressbar", { name: "Uploaded" }).waitFor()
      await page.waitForFunction(() => localStorage.getItem("tapedeck.uploads") !== null)
      await page.reload()
      await page.unroute("**/uploads/*")
      await page.getByRole("tab", { name: "Details" }).click()
      await page.getByText("The upload of again.webm was interrupted.").waitFor()
    }
    await interrupt()
    await page.getByRole("button", { name: "Cancel the upload" }).click()
    await interrupt()
    await page.getByLabel("Choose the file").setInputFiles(other)
    await page.getByText("video/webm, 1.0 MB").waitFor()
    await interrupt()
    await page.evaluate(() => {
      const key = "tapedeck.uploads"
      localStorage.setItem(key, localStorage.getItem(key)!.replace(/(uploads\/)[^"]*/, "$1gone"))
    })
    await page.reload()
    await page.getByRole("tab", { name: "Details" }).click()
    await page.getByLabel("Choose the file").setInputFiles(file)
    await page.getByText("video/webm, 2.0 MB").waitFor()
  })
})
