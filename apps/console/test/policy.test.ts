import { expect, test } from "vitest"
import { madeLink } from "./support/captureLink.ts"
import { logOf, openConsole, openTab, requestAt, team, uuid, webm, writePayload } from "./support/open.ts"
import { openLink } from "./support/recorder.ts"

test("what is typed over a selection in the editor of a payload replaces it, without a word on the page's console", async () => {
  const console = await openConsole("/automations/bugs-to-crm")
  const { page } = console
  const payload = page.getByLabel("Payload")
  const text = () =>
    payload.evaluate((editor) =>
      [...editor.querySelectorAll(".cm-line")].map((line) => line.firstChild?.textContent ?? "")
    )
  await payload.press("ControlOrMeta+A")
  await page.keyboard.press("7")
  expect(await text()).toEqual(["7"])
  await payload.press("ControlOrMeta+Z")
  expect((await text())[0]).toBe("{")
  await writePayload(page, "8")
  expect(await text()).toEqual(["8"])
  // A bracket goes around what is selected.
  await payload.press("ControlOrMeta+A")
  await page.keyboard.press("[")
  expect(await payload.textContent()).toContain("[8]")
  // As an input method does.
  const session = await page.context().newCDPSession(page)
  await payload.press("ControlOrMeta+A")
  await page.keyboard.insertText('{"a": 1}')
  await payload.press("ControlOrMeta+A")
  await session.send("Input.imeSetComposition", { text: "\u306b\u307b", selectionStart: 2, selectionEnd: 2 })
  await session.send("Input.imeSetComposition", { text: "\u306b\u307b\u3093", selectionStart: 3, selectionEnd: 3 })
  await session.send("Input.insertText", { text: "\u65e5\u672c" })
  await expect.poll(() => payload.textContent()).toMatch(/^\u65e5\u672c/)
  await session.detach()
})

/** Pages that are not the console's: those of strangers, and of people who do not sign in. */
test("no page for strangers has an error on its console", async () => {
  const console = await openConsole("/recordings", {
    fixtures: {
      ...team,
      recordings: [
        ...team.recordings,
        {
          uuid: uuid(3),
          title: "With everything",
          user: "ada@acme.test",
          duration: 20,
          video: { original: { base64: webm(64).toString("base64"), content_type: "video/webm" } },
          transcript: { language: "en", segments: [{ start_seconds: 0, end_seconds: 6, text: "I want to pay." }] },
          log: logOf([{ t: 1_000, kind: "console", level: "info", message: "loaded" }, requestAt(3_100, 503)])
        }
      ]
    }
  })
  const root = console.control.replace(/\/_emulator$/, "")
  const settings = async (method: string, path: string, body: unknown) => {
    const session = await console.call<{ readonly token: string }>("/sessions", { user: "ada@acme.test" })
    const response = await fetch(`${root}/api/settings${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${session.token}`, "content-type": "application/json" }
    })
    expect(response.status, path).toBeLessThan(300)
    return (await response.json()) as { readonly url: string }
  }
  await settings("PUT", `/recordings/${uuid(3)}/sharing`, { sharing: "public", is_log_shared: true })
  const open = await settings("POST", `/recordings/${uuid(3)}/share-links`, {})
  const locked = await settings("POST", `/recordings/${uuid(3)}/share-links`, { password: "open sesame" })
  const { mails } = (await (await fetch(`${console.control}/mails`)).json()) as {
    readonly mails: ReadonlyArray<{ readonly text: string }>
  }
  const below = (url: string) => `${root}${new URL(url).pathname.replace(/^\/worlds\/[^/]+/, "")}`
  const off = mails.map(({ text }) => /https?:\S+\/mail\/off\/\S+/.exec(text)?.[0]).find((url) => url !== undefined)
  const pages = [
    ...[1, 2, 3].map((n) => `${root}/r/${uuid(n)}`),
    ...[open, locked].map(({ url }) => below(url)),
    ...(off === undefined ? [] : [below(off)]),
    `${root}/c/agent`
  ]
  const page = await openTab()
  const errors: Array<string> = []
  page.on("console", (message) => message.type() === "error" && errors.push(`${page.url()}: ${message.text()}`))
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`))
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const url of pages) {
      await page.goto(url)
      await page.getByRole("heading", { level: 1 }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), url).toBeLessThanOrEqual(width)
    }
  }
  const password = page.getByLabel("Password")
  await page.goto(below(locked.url))
  await password.fill("open sesame")
  await password.press("Enter")
  await page.getByRole("heading", { name: "With everything" }).waitFor()
  expect(errors).toEqual([])
})

test("the page of a capture link has no error on its console", async () => {
  const { address } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink("about:blank")
  const errors: Array<string> = []
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()))
  await page.goto(address)
  await page.getByRole("heading", { name: /asks you for a recording$/ }).waitFor()
  await page.getByRole("button", { name: "Continue" }).click()
  await page.getByRole("heading", { name: "Ready?" }).waitFor()
  await page.getByRole("button", { name: "Back" }).click()
  await page.getByRole("heading", { name: /asks you for a recording$/ }).waitFor()
  expect(errors).toEqual([])
})
