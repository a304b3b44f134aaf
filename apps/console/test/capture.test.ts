import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { madeLink } from "./support/captureLink.ts"
import { openConsole, openOwnTab } from "./support/open.ts"
import { heading, openLink, press, record, recorded, spooledBytes } from "./support/recorder.ts"

test("A customer records by a link, looks at it, and sends it into the link's folder", async () => {
  const { address, received, settings, videoOf } = await madeLink({
    title: "Show us the error",
    message: "<b>Please</b> pay by card.",
    folder_id: "bugs",
    redirect_url: "https://shop.test/thanks",
    sources: { screen: "required", microphone: "optional", camera: "optional" }
  })
  const page = await openLink(address)
  await heading(page, "Ada Lovelace of Acme asks you for a recording").waitFor()
  await page.getByText("<b>Please</b> pay by card.").waitFor()
  expect(await violationsIn(page)).toEqual([])
  await page.getByLabel("Camera").check()
  await record(page, 1)
  expect(await violationsIn(page)).toEqual([])
  await press(page, "Mark this moment")
  await press(page, "Pause")
  await heading(page, "Paused").waitFor()
  await press(page, "Continue recording")
  await press(page, "Stop")
  await page.getByLabel("Your recording").waitFor()
  expect(await violationsIn(page)).toEqual([])
  await page.getByLabel("Note").fill("It happens each time.")
  await page.getByLabel("Your e-mail address").fill("kim@customer.test")
  const kept = await spooledBytes(page)
  await press(page, "Send")
  await heading(page, "Thank you. Your recording was sent.").waitFor()
  expect(await page.getByRole("link", { name: "Continue" }).getAttribute("href")).toBe("https://shop.test/thanks")
  expect(await spooledBytes(page)).toBe(0)

  const [recording] = await received()
  expect(recording).toMatchObject({
    title: "Show us the error",
    description: "It happens each time.",
    customer: { email: "kim@customer.test" },
    folder_id: "bugs"
  })
  const video = await videoOf(recording!.uuid)
  expect(video.length).toBe(kept)
  expect([...video.slice(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3])
  const { deliveries } = await settings("GET", `/deliveries?recording_uuid=${recording!.uuid}`)
  expect(deliveries).toHaveLength(1)
})

test("On a phone the check boxes keep their size, and no screen is wider than the phone", async () => {
  const { address } = await madeLink({
    title: "x".repeat(255),
    sources: { screen: "required", microphone: "optional", camera: "optional" }
  })
  const page = await openLink(address)
  await expect.poll(() => page.getByRole("checkbox").count()).toBe(3)
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    const sizes = await page
      .getByRole("checkbox")
      .evaluateAll((boxes) => boxes.map((box) => [box.clientWidth, box.clientHeight]))
    expect(sizes).toEqual([
      [20, 20],
      [20, 20],
      [20, 20]
    ])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
})

test("Record more goes on counting where the recording is, times and marks", async () => {
  const { address } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink(address)
  await record(page, 1)
  await press(page, "Mark this moment")
  await press(page, "Stop")
  await page.evaluate(() => {
    const shown: Array<string> = []
    Object.assign(globalThis, { shown })
    // The text of each counter as it comes onto the page.
    new MutationObserver(() => {
      if (shown.length === 0) shown.push(...[...document.querySelectorAll("output")].map((one) => one.textContent))
    }).observe(document.querySelector("#capture")!, { childList: true })
  })
  await press(page, "Record more")
  await record(page, 2)
  const [recorded, left] = await page.evaluate(() => (globalThis as unknown as { shown: Array<string> }).shown)
  expect(recorded).not.toBe("0:00")
  expect(left).toMatch(/^\d+:5\d$/)
  await press(page, "Mark this moment")
  const note = page.getByText(/^Mark 2 at/)
  await note.waitFor()
  // The note stays while the counters go on.
  const before = await page.locator("output").first().textContent()
  await page.locator("output").first().filter({ hasNotText: before! }).waitFor()
  expect(await note.isVisible()).toBe(true)
  // A tab that records asks before it is left.
  await press(page, "Stop")
  await press(page, "Send")
  await heading(page, "Thank you. Your recording was sent.").waitFor()
})

test("A lost network and a closed tab lose nothing that was recorded", async () => {
  const { address, received, videoOf } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink(address)
  await record(page, 1)
  await page.context().setOffline(true)
  await page.getByText(/^No connection: your recording is kept/).waitFor()
  await recorded(page, 3)
  const kept = await spooledBytes(page)
  // As a crash: the page has no time for anything.
  await page.goto("about:blank")
  await page.context().setOffline(false)
  await page.goto(address)
  await heading(page, "A recording was not sent yet").waitFor()
  expect(await violationsIn(page)).toEqual([])
  await press(page, "Look at it")
  await page.getByLabel("Your recording").waitFor()
  await press(page, "Send")
  await heading(page, "Thank you. Your recording was sent.").waitFor()
  const [recording] = await received()
  expect((await videoOf(recording!.uuid)).length).toBeGreaterThanOrEqual(kept)
})

test("A second tab leaves a recording to the first, and takes it over when that is closed", async () => {
  const { address, received, videoOf } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const first = await openOwnTab()
  await first.goto(address)
  await record(first, 1)
  const second = await openLink(address)
  await heading(second, "This recording is open in another tab").waitFor()
  expect(await violationsIn(second)).toEqual([])
  const kept = await spooledBytes(first)
  await first.close()
  await press(second, "Try again")
  await heading(second, "A recording was not sent yet").waitFor()
  await press(second, "Look at it")
  await press(second, "Send")
  await heading(second, "Thank you. Your recording was sent.").waitFor()
  const [recording] = await received()
  expect((await videoOf(recording!.uuid)).length).toBeGreaterThanOrEqual(kept)
})

test("A tab that crashes before its first second leaves the link as it was", async () => {
  const { address, settings } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink(address)
  await page.evaluate(() => {
    MediaRecorder.prototype.start = () => {}
  })
  await record(page, 0)
  expect(await settings("GET", "/capture-links")).toMatchObject({ capture_links: [{ uses: 1, state: "used_up" }] })
  await page.goto("about:blank")
  await page.goto(address)
  await heading(page, /asks you for a recording$/).waitFor()
  expect(await settings("GET", "/capture-links")).toMatchObject({ capture_links: [{ uses: 0, state: "active" }] })
})

test.for([
  ["waits", false],
  ["is loaded again", true]
] as const)(
  "A page that does not get its capture's answer, and %s, leaves the link as it was",
  async ([, isReloaded]) => {
    const { address, received, settings } = await madeLink({ sources: { screen: "required", microphone: "off" } })
    const before = await received()
    const page = await openLink(address)
    const used: Array<unknown> = []
    await page.route(
      "**/api/capture/links/*/captures",
      async (route) => {
        await route.fetch()
        used.push(await settings("GET", "/capture-links"))
        await route.abort()
      },
      { times: 1 }
    )
    await press(page, "Continue")
    await heading(page, "Ready?").waitFor()
    await press(page, "Start recording")
    await page.getByText(/^There is no connection/).waitFor()
    if (isReloaded) await page.reload()
    await heading(page, /asks you for a recording$/).waitFor()
    expect(used).toMatchObject([{ capture_links: [{ uses: 1, state: "used_up" }] }])
    expect(await settings("GET", "/capture-links")).toMatchObject({ capture_links: [{ uses: 0, state: "active" }] })
    await record(page, 1)
    await press(page, "Stop")
    await press(page, "Send")
    await heading(page, "Thank you. Your recording was sent.").waitFor()
    expect(await received()).toHaveLength(before.length + 1)
  }
)

test("A tab that has the key of another one leaves that one's recording to it", async () => {
  const { address, received } = await madeLink({ sources: { screen: "required", microphone: "off" }, max_uses: 2 })
  const before = await received()
  const page = await openLink(address)
  const key = Promise.withResolvers<string>()
  await page.route("**/api/capture/links/*/captures", async (route) => {
    key.resolve((await route.request().headerValue("idempotency-key")) ?? "")
    await route.continue()
  })
  await record(page, 1)
  const second = await openOwnTab()
  await second.goto(address)
  await heading(second, /asks you for a recording$/).waitFor()
  const duplicate = `tapedeck-begin ${new URL(address).pathname}`
  await second.evaluate(([name, value]) => sessionStorage.setItem(name!, value!), [duplicate, await key.promise])
  await record(second, 1)
  for (const one of [second, page]) {
    await one.bringToFront()
    await press(one, "Stop")
    await press(one, "Send")
    await heading(one, "Thank you. Your recording was sent.").waitFor()
  }
  expect(await received()).toHaveLength(before.length + 2)
})

test("A browser without room stops the recording, and what it kept is sent", async () => {
  const { address, received, videoOf } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink(address)
  const refusePuts = (into: ReadonlyArray<string>) =>
    page.evaluate((stores) => {
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function (...entry) {
        if (stores.includes(this.name)) throw new DOMException("full", "QuotaExceededError")
        return put.apply(this, entry)
      }
    }, into)
  await refusePuts(["uploads"])
  await record(page, 1)
  await refusePuts(["captures", "parts", "chunks"])
  await page.getByText(/^This browser has no room left/).waitFor()
  const kept = await spooledBytes(page)
  expect(kept).toBeGreaterThan(0)
  await press(page, "Send")
  await heading(page, "Thank you. Your recording was sent.").waitFor()
  const [recording] = await received()
  expect((await videoOf(recording!.uuid)).length).toBe(kept)
})

test("A recording that is discarded is gone from the browser and from the server", async () => {
  const { address, received } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink(address)
  const before = await received()
  await record(page, 1)
  await press(page, "Stop")
  await press(page, "Discard")
  await page.getByText("It cannot be brought back.").waitFor()
  await press(page, "Discard")
  await heading(page, "The recording was discarded").waitFor()
  expect(await spooledBytes(page)).toBe(0)
  expect(await received()).toEqual(before)
  await press(page, "Record again")
  await heading(page, /asks you for a recording/).waitFor()
})

test("A refused permission is explained, and can be tried again", async () => {
  const { address } = await madeLink({ sources: { screen: "required", microphone: "off" } })
  const page = await openLink(address)
  await page.evaluate(() => {
    navigator.mediaDevices.getDisplayMedia = () => Promise.reject(new DOMException("denied", "NotAllowedError"))
  })
  await press(page, "Continue")
  await page
    .getByRole("alert")
    .getByText(/^Screen: you did not allow it/)
    .waitFor()
  expect(await violationsIn(page)).toEqual([])
})

test("A microphone that is not there is left out, unless the link needs it", async () => {
  for (const [microphone, isLeftOut] of [
    ["optional", true],
    ["required", false]
  ] as const) {
    const { address } = await madeLink({ sources: { screen: "required", microphone } })
    const page = await openLink(address)
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("none", "NotFoundError"))
    })
    await press(page, "Continue")
    const problem = await page.getByRole("alert").textContent()
    expect(problem).toBe(`Microphone: none was found.${isLeftOut ? " You can continue without it." : ""}`)
    expect(await page.getByLabel("Microphone").isChecked()).toBe(!isLeftOut)
    if (!isLeftOut) continue
    await press(page, "Continue")
    await heading(page, "Ready?").waitFor()
  }
})

test("A link that is unknown or used up shows that", async () => {
  const { address, settings } = await madeLink({ max_uses: 1 })
  const page = await openLink(`${address}x`)
  await page.getByText("The link is not known, or was withdrawn. Ask for a new one.").waitFor()
  const token = address.split("/c/")[1]!
  const begun = await fetch(address.replace(/\/c\/.*/, `/api/capture/links/${token}/captures`), {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" }
  })
  expect(begun.status).toBe(201)
  await page.goto(address)
  await page.getByText("The link was used up, or is too old. Ask for a new one.").waitFor()
  expect(await settings("GET", "/capture-links")).toMatchObject({ capture_links: [{ state: "used_up" }] })
})

test("An agent makes a capture link, opens it, and revokes it", async () => {
  const console = await openConsole("/recordings", { as: "bob@acme.test" })
  const { page } = console
  await console.link("Capture links").click()
  await page.getByText("No capture links yet").waitFor()
  await console.button("New capture link").first().click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Ticket").fill("https://acme.atlassian.net/browse/SUP-128")
  expect(await dialog.getByLabel("Ticket").inputValue()).toBe("SUP-128")
  expect(await dialog.getByLabel("Helpdesk").inputValue()).toBe("jira")
  await dialog.getByLabel("Title").fill("Show the <i>invoice</i>")
  await dialog.getByLabel("Folder").selectOption({ label: "Bugs" })
  await dialog.getByLabel("Camera").selectOption({ label: "Required" })
  await dialog.getByRole("button", { name: "Create" }).click()
  const address = await dialog.getByText(/\/c\//).textContent()
  await dialog.getByRole("button", { name: "Copy" }).and(page.locator(":focus")).waitFor()
  expect(await violationsIn(page)).toEqual([])
  await dialog.getByRole("button", { name: "Done" }).click()
  const item = page.getByRole("listitem").filter({ hasText: "Show the <i>invoice</i>" })
  await item.getByText("0 of 1 used · into Bugs").waitFor()
  expect(await violationsIn(page)).toEqual([])
  expect(await console.read("/capture-links")).toMatchObject({
    capture_links: [{ helpdesk: { platform: "jira", ticket_id: "SUP-128", issue_id: "SUP-128" } }]
  })
  const customer = await openLink(address!)
  await heading(customer, "Bob Noyce of Acme asks you for a recording").waitFor()
  await customer.getByLabel("Camera (needed)").waitFor()
  await console.button("Revoke Show the <i>invoice</i>").click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke the link" }).click()
  await item.getByText("Revoked").waitFor()
  await customer.reload()
  await customer.getByText(/^The link is not known, or was withdrawn/).waitFor()
})

test("An agent comes from a ticket's number to a copied link in four clicks", async () => {
  const { page } = await openConsole("/recordings", { as: "bob@acme.test" })
  await page.evaluate(() => {
    const counted = { clicks: 0 }
    Object.assign(globalThis, { counted })
    // By the pointer: a key that presses a button is a click of its own kind.
    document.addEventListener("pointerdown", () => (counted.clicks += 1), { capture: true })
  })
  await page.getByRole("link", { name: "Capture links" }).click()
  await page.getByRole("button", { name: "New capture link" }).first().click()
  const dialog = page.getByRole("dialog")
  // The form has the focus, so the agent pastes.
  await dialog.locator(":focus").waitFor()
  await dialog.getByLabel("Ticket").fill("https://acme.zendesk.com/agent/tickets/4711")
  await dialog.getByRole("button", { name: "Create" }).click()
  const address = (await dialog.getByText(/\/c\//).textContent()) ?? ""
  await dialog.getByRole("button", { name: "Copy" }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(address)
  expect(await page.evaluate(() => (globalThis as never as { counted: { clicks: number } }).counted.clicks)).toBe(4)
})

test("A macro of a helpdesk opens the form with its ticket and customer", async () => {
  const ticket = encodeURIComponent("https://acme.zendesk.com/agent/tickets/4711")
  const console = await openConsole(`/new-link?ticket=${ticket}&customer=kim@customer.test`, {
    heading: "New capture link"
  })
  const { page } = console
  const dialog = page.getByRole("dialog")
  expect(await dialog.getByLabel("Ticket").inputValue()).toBe("4711")
  expect(await dialog.getByLabel("Customer").inputValue()).toBe("kim@customer.test")
  await dialog.getByRole("button", { name: "Create" }).click()
  await dialog.getByRole("button", { name: "Done" }).click()
  expect(await console.read("/capture-links")).toMatchObject({
    capture_links: [{ helpdesk: { platform: "zendesk", ticket_id: "4711" }, customer: { email: "kim@customer.test" } }]
  })
  await page.reload()
  await page.getByRole("list", { name: "Capture links" }).waitFor()
  expect(await dialog.count()).toBe(0)
  // The form suggests the helpdesk of the last ticket. An id without a helpdesk is asked for one.
  await console.button("New capture link").click()
  expect(await dialog.getByLabel("Helpdesk").inputValue()).toBe("zendesk")
  await dialog.getByLabel("Helpdesk").selectOption("")
  await dialog.getByLabel("Ticket").fill("4712")
  await dialog.getByRole("button", { name: "Create" }).click()
  expect(await dialog.getByLabel("Helpdesk").evaluate((one: HTMLSelectElement) => one.validity.valueMissing)).toBe(true)
})
