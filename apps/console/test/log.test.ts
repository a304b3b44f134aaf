import { expect, test } from "vitest"
import { curlOf } from "../src/recordings/log/curl.ts"
import { logOf, openConsole, requestAt, team, uuid } from "./support/open.ts"

const eventCount = 100_000

test("the log follows the playback, is filtered, and moves the video to an event", async () => {
  const console = await openConsole(`/recordings/${uuid(2)}`)
  const { page } = console
  const list = page.getByRole("listbox", { name: "Events" })
  const shown = () => list.getByRole("option").allInnerTexts()
  await list.waitFor()
  expect((await shown()).length).toBe(7)
  const position = page.getByRole("slider", { name: "Position" })
  await position.fill("3.2")
  await list.locator("[aria-current=time]", { hasText: "/api/pay" }).waitFor()
  await list.getByText("Here it fails").click()
  await expect.poll(() => position.inputValue()).toBe("12")
  await page.getByRole("button", { name: "To the error before" }).click()
  await expect.poll(() => position.inputValue()).toBe("3.3")
  await page.getByLabel("Events shown").selectOption("Network")
  await expect.poll(shown).toEqual([expect.stringContaining("503"), expect.stringContaining("200")])
  await page.getByLabel("Status").selectOption("Failed")
  await page.getByText("1 of 7 events").waitFor()
  await page.getByLabel("Events shown").selectOption("Console")
  await page.getByLabel("Level").selectOption("warn")
  await page.getByText("No event matches.").waitFor()
  await page.getByLabel("Events shown").selectOption("Everything")
  await page.getByLabel("Search in the log").fill("INVOICE")
  await page.getByText("1 of 7 events").waitFor()
  // By keyboard: the first event, then the one after it.
  await page.getByLabel("Search in the log").fill("")
  await page.getByText("7 events", { exact: true }).waitFor()
  await list.focus()
  await page.keyboard.press("Home")
  await page.keyboard.press("ArrowDown")
  await page.getByRole("region", { name: "Event" }).getByRole("region", { name: "Message" }).waitFor()
  await expect.poll(() => position.inputValue()).toBe("1")
})

test("the page, the viewport and the redactions of a log are in Technical", async () => {
  const { page } = await openConsole(`/recordings/${uuid(2)}`)
  await page.getByRole("tab", { name: "Technical" }).click()
  await page.getByRole("link", { name: "https://shop.test/cart" }).waitFor()
  await page.getByText("1280 × 720").waitFor()
  await page.getByText("1 header", { exact: true }).waitFor()
})

test("title, link and the first error are copied for the ticket, as text and as HTML", async () => {
  const console = await openConsole(`/recordings/${uuid(2)}`)
  const { page } = console
  await page.getByRole("listbox", { name: "Events" }).waitFor()
  await console.button("Copy for the ticket").click()
  await console.seesNotice("Title and link are copied for the ticket.")
  const [text, html] = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    return Promise.all(["text/plain", "text/html"].map(async (type) => (await item!.getType(type)).text()))
  })
  const { title, metadata } = await console.read<{ title: string; metadata: { url: string } }>(`/recordings/${uuid(2)}`)
  expect(text).toBe(`${title}\n${metadata.url}\nFirst error at 0:03`)
  expect(html).toContain(`>${title.replace("<", "&lt;").replace(">", "&gt;")}`)
  expect(html).toContain(`href="${metadata.url}"`)
  expect(html).toContain("First error at 0:03")
})

test("a request opens with its answer beside it, is copied as cURL, and saved with the log", async () => {
  const console = await openConsole(`/recordings/${uuid(2)}`)
  const { page } = console
  await page.getByRole("option", { name: /503/ }).click()
  const event = page.getByRole("region", { name: "Event" })
  expect(await event.getByRole("region", { name: "Request body" }).textContent()).toBe('{\n  "amount": 5\n}')
  expect(await event.getByRole("region", { name: "Response body" }).textContent()).toBe('{\n  "error": "busy"\n}')
  await event.getByText("retry-after").waitFor()
  await console.button("Copy as cURL").click()
  await console.seesNotice("The command is copied.")
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    [
      "curl --globoff --proto '=http,https' --request 'POST' --url 'https://shop.test/api/pay'",
      "-H 'content-type: application/json'",
      "-H 'authorization: [redacted]'",
      `--data-raw '{"amount":5}'`
    ].join(" \\\n  ")
  )
  for (const [button, ending] of [
    ["Log", "ndjson"],
    ["HAR", "har"]
  ] as const) {
    const saved = page.waitForEvent("download")
    await console.button(button).click()
    expect((await saved).suggestedFilename()).toBe(`${uuid(2)}.${ending}`)
  }
})

test("a cURL command of a hostile request is one command, and reads no file", () => {
  const event = requestAt(0, 0, {
    method: "GET'; reboot; '",
    url: "-o /etc/passwd",
    request_headers: { "@/etc/passwd": "a", ":authority": "b", "x-a": "1\r\nx-b: 2" },
    request_body: "@/etc/shadow"
  })
  expect(curlOf(event as never)).toBe(
    [
      `curl --globoff --proto '=http,https' --request 'GET'\\''; reboot; '\\''' --url '-o%20/etc/passwd'`,
      "-H 'x-a: 1 x-b: 2'",
      "--data-raw '@/etc/shadow'"
    ].join(" \\\n  ")
  )
})

test("a log that was recorded elsewhere is imported, and takes the place of the console's output", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`)
  const { page } = console
  await page.getByRole("tab", { name: "Console" }).click()
  await page.getByLabel("Import a log").setInputFiles({
    name: "log.ndjson",
    mimeType: "application/x-ndjson",
    buffer: Buffer.from(logOf([{ t: 5, kind: "console", level: "warn", message: "slow" }]))
  })
  await console.seesNotice("The log is imported.")
  await page.getByRole("tab", { name: "Log" }).click()
  await page.getByRole("option", { name: /slow/ }).waitFor()
  expect(await page.getByRole("tab", { name: "Console" }).count()).toBe(0)
})

test("a log of 100,000 events scrolls with all of its rows", async () => {
  const [, recording] = team.recordings
  const { page } = await openConsole("/folders", { fixtures: { ...team, recordings: [recording] } })
  await page.evaluate((count) => {
    const send = globalThis.fetch
    globalThis.fetch = (input, init) => {
      if (!new URL(String(input), location.href).pathname.endsWith("/log")) return send(input, init)
      const events = Array.from({ length: count }, (_, seq) =>
        JSON.stringify({ seq, t: seq * 10, kind: "console", level: "error", message: `event ${seq}` })
      )
      return Promise.resolve(new Response(`{"version":1}\n${events.join("\n")}\n`))
    }
  }, eventCount)
  await page.evaluate(
    (url) => {
      history.pushState({}, "", url)
      dispatchEvent(new PopStateEvent("popstate"))
    },
    page.url().replace("/folders", `/recordings/${uuid(2)}`)
  )
  await page.getByText("100,000 events").waitFor()
  const list = page.getByRole("listbox", { name: "Events" })
  // In every frame of fast scrolling, each place of the list has its row.
  const gaps = await list.evaluate(async (box) => {
    const missing: Array<string> = []
    box.scrollIntoView({ block: "center" })
    const { bottom, left, top } = box.getBoundingClientRect()
    for (let frame = 0; frame < 30; frame += 1) {
      box.scrollTop = frame % 2 === 0 ? box.scrollTop - 700 * frame : (box.scrollHeight * frame) / 30
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      for (let y = top + 20; y < bottom - 20; y += 28) {
        const row = document.elementFromPoint(left + 100, y)?.closest("[role=option]")
        if (row?.textContent?.includes("event ") !== true) missing.push(`frame ${frame}, ${y} px`)
      }
    }
    return missing
  })
  expect(gaps).toEqual([])
  expect(await list.getByRole("option").count()).toBeLessThan(60)
  expect(await page.getByRole("group", { name: "Timeline" }).locator("span.bg-bad").count()).toBeLessThan(210)
  await list.focus()
  await page.keyboard.press("End")
  await page.getByRole("option", { name: /event 99999/ }).waitFor()
  await page.getByLabel("Search in the log").fill("event 54321")
  await page.getByText("1 of 100,000 events").waitFor()
})
