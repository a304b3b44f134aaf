import { runInNewContext } from "node:vm"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { openConsole, openOwnTab } from "./support/open.ts"
import { type LogLine, openSite } from "./support/site.ts"

declare global {
  interface Window {
    Tapedeck?: { readonly record: (details?: object) => boolean; readonly unload: () => void }
  }
}

interface Planted {
  readonly event: LogLine & { readonly request_headers: Record<string, string> }
  readonly secret: string
}

/** Domain's corpus of planted secrets: events, and the secret in each. */
const corpus = new URL("../../../packages/domain/test/capture/redactionCorpus.ts", import.meta.url)
const { plantedEvents } = (await import(corpus.href)) as { readonly plantedEvents: ReadonlyArray<Planted> }

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name })

/** From the page's button to a recorder that records. */
const recordFrom = async (page: Page, open = () => press(page, "Record a problem")): Promise<Page> => {
  const [recorder] = await Promise.all([page.waitForEvent("popup"), open()])
  await press(recorder, "Continue")
  await press(recorder, "Start recording")
  await heading(recorder, "Recording").waitFor()
  await page.getByRole("button", { name: "Recording" }).waitFor()
  return recorder
}

const send = async (recorder: Page) => {
  await press(recorder, "Stop")
  await recorder.getByLabel("Your recording").waitFor()
  await press(recorder, "Send")
  await heading(recorder, "Thank you. Your recording was sent.").waitFor()
}

/** Waits until the server has lines of the page with this text. */
const logged = (page: Page, text: string) =>
  page.waitForResponse(
    (response) =>
      response.url().includes("/logs?stream=") &&
      response.status() === 204 &&
      response.request().postData()?.includes(text) === true
  )

const of = (lines: ReadonlyArray<LogLine>, kind: string) => lines.filter((line) => line.kind === kind)

test("A page's log goes with the recording, from before it began and across subdomains", async () => {
  const site = await openSite()
  const page = await openOwnTab()
  const problems: Array<string> = []
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
  await page.goto(site.page("a"))
  await page.evaluate(() => console.warn("before the recording", { cart: [1, 2] }))
  const recorder = await recordFrom(page)
  expect(problems).toEqual([])
  const first = logged(page, "checkout is broken")
  await page.getByLabel("Coupon").pressSequentially("SUMMER")
  await page.getByRole("button", { name: "Pay now" }).click()
  await page.evaluate(async () => {
    await fetch("/fails")
    setTimeout(() => {
      throw new Error("checkout is broken")
    })
    history.pushState({}, "", "/pay?token=s3cr3t-token")
    const socket = new WebSocket(`ws://${location.host}/socket`)
    await new Promise((resolve) => socket.addEventListener("close", resolve))
  })
  await first
  const second = logged(page, site.page("b"))
  // As a link does: an address that is typed may cut the page off from the windows that it opened.
  await page.evaluate((url) => location.assign(url), site.page("b"))
  await second
  await page.getByRole("button", { name: "Recording" }).waitFor()
  await send(recorder)
  const lines = await site.log()
  const [before] = of(lines, "console").filter(({ message }) => message?.startsWith("before the recording"))
  expect(before).toMatchObject({ message: 'before the recording {"cart": [1, 2]}', level: "warn" })
  expect(before!.t).toBeLessThan(0)
  expect(of(lines, "click")).toContainEqual(expect.objectContaining({ target: 'button "Pay now"' }))
  expect(of(lines, "input")).toEqual([expect.objectContaining({ target: 'textbox "Coupon"' })])
  const urls = of(lines, "navigation").map(({ url }) => url)
  expect(urls).toEqual([site.page("a"), site.page("a", "/pay?token=[redacted]"), site.page("b")])
  expect(of(lines, "error").map(({ message }) => message)).toEqual(["Uncaught Error: checkout is broken"])
  expect(of(lines, "network")).toContainEqual(
    expect.objectContaining({ url: site.page("a", "/fails"), status: 503, initiator: "fetch" })
  )
  expect(of(lines, "network")).toContainEqual(expect.objectContaining({ initiator: "websocket", status: 101 }))
  expect(of(lines, "console").map(({ message }) => message)).toContain("page began b.localhost")
  expect(JSON.stringify(lines)).not.toMatch(/s3cr3t|SUMMER/)
})

/** Runs in the page before and after `capture.js`, so that both can be compared. */
test("Wrapped functions behave as the browser's, and unload puts back exactly those", async () => {
  const site = await openSite()
  const page = await openOwnTab()
  await page.addInitScript(() => {
    Object.assign(window, {
      before: { fetch, log: console.log, WebSocket, open: XMLHttpRequest.prototype.open, push: history.pushState }
    })
  })
  await page.goto(site.page("a"))
  await page.getByRole("button", { name: "Record a problem" }).waitFor()
  const seen = await page.evaluate(async () => {
    const { before } = window as unknown as { before: Record<string, () => unknown> }
    const rejections: Array<string> = []
    addEventListener("unhandledrejection", ({ reason }) => rejections.push(reason.name))
    const caught = async (run: () => unknown) => {
      try {
        return await run()
      } catch (error) {
        return `${(error as Error).name}: ${(error as Error).message}`
      }
    }
    const plain = document.createElement("iframe")
    document.body.append(plain)
    const native = plain.contentWindow as unknown as typeof globalThis
    const controller = new AbortController()
    const aborted = caught(() => fetch("/echo", { signal: controller.signal }))
    controller.abort()
    const streamed = await fetch("/echo", { method: "POST", body: "one two" })
    const reader = streamed.body!.getReader()
    const { value } = await reader.read()
    class Own extends WebSocket {
      readonly own = true
    }
    const socket = new Own(`ws://${location.host}/socket`)
    // Not handled by the page: it is reported as without the script, and a handled one is not.
    await fetch("http://[bad").catch(() => {})
    const reported = new Promise((resolve) => addEventListener("unhandledrejection", resolve))
    void fetch("http://[bad")
    await reported
    let printed = 0
    console.log({
      get secret() {
        printed += 1
        return "getter"
      }
    })
    const xhr = new XMLHttpRequest()
    xhr.open("GET", "/echo", false)
    xhr.send()
    const results = {
      isWrapped: before.fetch !== window.fetch,
      text: fetch.toString() === native.fetch.toString() && `${WebSocket}` === `${native.WebSocket}`,
      name: [fetch.name, fetch.length, console.log.name, WebSocket.name, WebSocket.OPEN],
      illegal:
        (await caught(() => Reflect.apply(fetch, {}, ["/"]))) ===
        (await caught(() => Reflect.apply(before.fetch!, {}, ["/"]))),
      promise: fetch("/echo") instanceof Promise,
      aborted: await aborted,
      body: new TextDecoder().decode(value),
      socket: [
        socket instanceof WebSocket,
        socket instanceof Own,
        socket.own,
        WebSocket.prototype.constructor === WebSocket
      ],
      without: await caught(() => (WebSocket as unknown as (url: string) => unknown)("ws://a")),
      badUrl: await caught(() => new WebSocket("nonsense:")),
      result: [console.log("x"), xhr.status],
      rejections,
      printed
    }
    // Another script wraps on top: its wrapper stays, and what is below it records no more.
    const ours = history.pushState
    const wrapper = function (this: History, ...args: Parameters<History["pushState"]>) {
      return ours.apply(this, args)
    }
    History.prototype.pushState = wrapper
    window.Tapedeck!.unload()
    history.pushState({}, "", "/after")
    const after = {
      own: [
        before.fetch === window.fetch,
        before.log === console.log,
        before.WebSocket === (window.WebSocket as unknown),
        before.open === XMLHttpRequest.prototype.open,
        WebSocket.prototype.constructor === WebSocket
      ],
      others: History.prototype.pushState === wrapper && location.pathname === "/after",
      left: [document.querySelector("tapedeck-button"), window.Tapedeck, document.adoptedStyleSheets.length]
    }
    return { results, after }
  })
  expect(seen.results).toEqual({
    isWrapped: true,
    text: true,
    name: ["fetch", 1, "log", "WebSocket", 1],
    illegal: true,
    promise: true,
    aborted: "AbortError: signal is aborted without reason",
    body: "one two",
    socket: [true, true, true, true],
    without: expect.stringContaining("TypeError"),
    badUrl: expect.stringContaining("SyntaxError"),
    result: [undefined, 200],
    rejections: ["TypeError"],
    printed: 0
  })
  expect(seen.after).toEqual({ own: [true, true, true, true, true], others: true, left: [null, undefined, 0] })
})

test("None of 300 planted secrets leaves the browser, and masked parts are blurred while it records", async () => {
  const site = await openSite({ redaction: { selectors: [".balance"], body_urls: ["*"] } })
  const page = await openOwnTab()
  const sent: Array<string> = []
  page.on("request", (request) => {
    if (request.url().includes("/api/capture/")) sent.push(`${request.url()} ${request.postData() ?? ""}`)
  })
  await page.goto(site.page("a"))
  const blurred = () =>
    page.evaluate(() =>
      ["#password", "#private", "#own", "#coupon"].map((name) => getComputedStyle(document.querySelector(name)!).filter)
    )
  expect(await blurred()).toEqual(["none", "none", "none", "none"])
  const recorder = await recordFrom(page, () =>
    page
      .evaluate(
        () =>
          void document.addEventListener(
            "click",
            () => window.Tapedeck!.record({ title: `${"P".repeat(254)}💩`, customer: { email: "kim@customer.test" } }),
            { once: true }
          )
      )
      .then(() => page.locator("h1").click())
  )
  expect(await blurred()).toEqual(["blur(32px)", "blur(32px)", "blur(32px)", "none"])
  await page.getByLabel("Password").pressSequentially("hunter2hunter2")
  await page.locator("#hidden").click()
  await page.evaluate(
    async (events) => {
      for (const event of events) {
        if (event.kind === "network") {
          const { request_body, request_headers, url = "" } = event
          const to = new URL(url, location.href)
          const address = `/echo${to.search}${to.hash}`
          const headers = Object.entries(request_headers).filter(
            ([name]) => !/^(?:cookie|set-cookie|proxy-)/i.test(name)
          )
          await fetch(address, {
            method: "POST",
            headers: headers as Array<[string, string]>,
            body: request_body ?? ""
          }).catch(() => {})
          console.info(url, event)
        } else console.log("message" in event ? event.message : JSON.stringify(event), event)
      }
      console.warn("the last one", "kim@customer.test")
    },
    plantedEvents.map(({ event }) => event)
  )
  await expect.poll(() => sent.some((text) => text.includes("the last one"))).toBe(true)
  await send(recorder)
  await expect.poll(blurred).toEqual(["none", "none", "none", "none"])
  const wire = sent.join("\n")
  const left = plantedEvents.filter(
    ({ secret }) => secret !== "kim@customer.test" && wire.includes(JSON.stringify(secret).slice(1, -1))
  )
  expect(left.map(({ secret }) => secret)).toEqual([])
  expect(wire).not.toMatch(/hunter2|Kim's account/)
  expect(wire).toContain("the last one kim@customer.test")
  expect(wire).toContain('\\"response_body\\"')
  expect(await site.settings("GET", `/recordings/${(await site.newest()).uuid}`)).toMatchObject({
    title: "P".repeat(254)
  })
})

test("A page of another origin than the site's gets no button, no settings and no code", async () => {
  const site = await openSite({}, "a")
  const page = await openOwnTab()
  await page.goto(site.page("b"))
  const refused = await page.evaluate(
    (url) => fetch(url).catch(({ message }: Error) => message),
    `${site.recorder}/api/capture/sites/${site.key}`
  )
  expect(refused).toBe("Failed to fetch")
  expect(await page.locator("tapedeck-button").count()).toBe(0)
  const answers = page.waitForEvent("popup")
  const record = (details: object) => details
  const documented = runInNewContext(readFence("docs/capture.md", "js"), { Tapedeck: { record } }) as object
  expect(await page.evaluate((details) => window.Tapedeck!.record(details), documented)).toBe(true)
  const recorder = await answers
  await heading(recorder, "Acme asks you for a recording").waitFor()
  expect(await recorder.getByLabel("Log of the page").count()).toBe(0)
  expect(await recorder.getByText("Checkout fails").count()).toBe(0)
  await recorder.close()
  await page.goto(site.page("a"))
  const [allowed] = await Promise.all([page.waitForEvent("popup"), press(page, "Record a problem")])
  await allowed.getByLabel("Log of the page").waitFor()
  expect(await violationsIn(allowed)).toEqual([])
})

test.each(["capture.js", "capture-redactor.js"])(
  "A server sends %s to every origin, compressed, and again only where it has changed",
  async (name) => {
    const { recorder } = await openSite()
    const first = await fetch(`${recorder}/${name}`)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=3600",
      "content-encoding": "gzip",
      "content-type": "text/javascript; charset=utf-8",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff"
    })
    const etag = first.headers.get("etag")!
    const again = await fetch(`${recorder}/${name}`, { headers: { "if-none-match": etag } })
    expect([again.status, await again.text()]).toEqual([304, ""])
  }
)

test("An admin makes a site, takes its script, changes it and deletes it", async () => {
  const console = await openConsole("/recordings/links")
  const { page } = console
  await console.link("Sites").click()
  await page.getByText("No sites yet").waitFor()
  await console.button("New site").first().click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name", { exact: true }).fill("Shop <b>")
  await dialog.getByLabel("Origins").fill("https://shop.example.com\nhttps://*.example.org")
  await dialog.getByLabel("Masked elements").fill(".balance")
  await dialog.getByRole("button", { name: "Create" }).click()
  const script = await dialog.getByText(/<script src=/).textContent()
  const { sites } = await console.read<{ readonly sites: ReadonlyArray<{ readonly key: string }> }>("/sites")
  expect(script).toBe(
    `<script src="${console.control.replace("/_emulator", "")}/capture.js" data-key="${sites[0]!.key}" crossorigin></script>`
  )
  expect(await violationsIn(page)).toEqual([])
  await dialog.getByRole("button", { name: "Done" }).click()
  await page.getByText("https://shop.example.com, https://*.example.org").waitFor()
  await console.button("Edit Shop <b>").click()
  await dialog.getByLabel("Origins").fill("http://shop.example.com")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog
    .getByRole("alert")
    .getByText(/must use https/)
    .waitFor()
  await dialog.getByLabel("Origins").fill("https://shop.example.com")
  await dialog.getByLabel("Enabled").uncheck()
  await dialog.getByRole("button", { name: "Save" }).click()
  await page.getByText("Disabled").waitFor()
  expect(await console.read("/sites")).toMatchObject({
    sites: [{ is_enabled: false, redaction: { selectors: [".balance"] }, origins: ["https://shop.example.com"] }]
  })
  await console.button("Delete Shop <b>").click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete the site" }).click()
  await page.getByText("No sites yet").waitFor()
  console.problems.splice(0, console.problems.length, ...console.problems.filter((text) => !text.includes("422")))
})
