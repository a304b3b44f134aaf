import { expect, test } from "vitest"
import { violationsIn } from "./support/axe.ts"
import { changed } from "./support/changed.ts"
import { openConsole, team, uuid, webm } from "./support/open.ts"

test("the library is searched and filtered, and its address holds the filters", async () => {
  const { page } = await openConsole("/recordings")
  await page.getByLabel("Search recordings").fill("kim check")
  await page.getByText("1 recording", { exact: true }).waitFor()
  expect(page.url()).toContain("search=kim")
  await page.getByLabel("Type", { exact: true }).selectOption("Sent")
  await page.getByText("No recording matches").waitFor()
  await page.getByRole("button", { name: "Show all recordings" }).click()
  await page.getByText("2 recordings", { exact: true }).waitFor()
})

test("the library finds every text without an error, typed or in its address", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  const search = page.getByLabel("Search recordings")
  for (const [text, found] of [
    ["Zendesk 4711", "1 recording"],
    ["one two three four five six seven eight nine ten eleven twelve thirteen fourteen", "0 recordings"],
    ["bob@acme.test", "1 recording"],
    ["/", "0 recordings"],
    ["Bob Noyce", "1 recording"],
    [":)", "0 recordings"],
    [`http://127.0.0.1/recordings/${uuid(2)}?tab=log`, "1 recording"],
    ["x".repeat(501), "0 recordings"]
  ] as const) {
    // Each has another number than the one before.
    await search.fill(text)
    await page.getByText(found, { exact: true }).waitFor()
    expect(await page.getByText("This could not be loaded").count(), text).toBe(0)
    await console.go("/folders")
    await console.go(`/recordings?search=${encodeURIComponent(JSON.stringify(text))}`)
    expect(await search.inputValue()).toBe(text)
    await page.getByText(found, { exact: true }).waitFor()
  }
})

test("the library shows the sentence in which a word was said, and plays from there", async () => {
  const { page } = await openConsole("/recordings")
  await page.getByText("2 recordings", { exact: true }).waitFor()
  await page.keyboard.press("/")
  await page.keyboard.type('kim "nothing happens" happ')
  await page.getByText("1 recording", { exact: true }).waitFor()
  const said = page.getByRole("link", { name: /^Play Checkout fails in Safari at 0:06 ?Nothing happens.$/ })
  expect(await said.locator("mark").allInnerTexts()).toEqual(["Nothing", "happens"])
  expect(await violationsIn(page)).toEqual([])
  await said.click()
  await page.getByRole("heading", { name: "Checkout fails in Safari" }).waitFor()
  expect(new URL(page.url()).searchParams.get("t")).toBe("6")
  await page.locator("button[aria-current=true]", { hasText: "Nothing happens." }).waitFor()
  await page.getByRole("button", { name: /I want to pay/ }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get("t")).toBe("0")
  await page.goBack()
  await said.waitFor()
})

test("the library cuts neither tickets nor dates in a window of 1,024 or 1,280 pixels", async () => {
  const helpdesk = { platform: "freshservice", ticket_id: "INC-2041" }
  const fixtures = { ...team, recordings: team.recordings.map((recording) => ({ ...recording, helpdesk })) }
  const console = await openConsole("/recordings", { fixtures })
  const { page } = console
  await console.advance({ by: "P28D" })
  await console.open("/recordings")
  const cells = page.getByRole("cell").filter({ hasText: /^(?:Freshservice INC-2041|Jan 1, \d\d:\d\d\sAM)$/ })
  for (const width of [1024, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => cells.count()).toBe(4)
    for (const cell of await cells.all())
      expect(await cell.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)).toBe(0)
  }
})

test("selected recordings are moved to a folder, whose automations fire", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  await page.getByLabel("Select all that are loaded").check()
  const selected = page.getByRole("region", { name: "Selected recordings" })
  await selected.getByLabel("Move to").selectOption({ label: "Bugs" })
  await selected.getByRole("button", { name: "Move" }).click()
  await console.seesNotice("2 recordings moved.")
  await page.getByRole("region", { name: "Virtual clock" }).getByText("2 pending").waitFor()
})

test("recordings that are not moved stay selected, each with its reason", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  await page.getByLabel("Select all that are loaded").check()
  await console.call("/faults", { match: { path: `/api/settings/recordings/${uuid(1)}/folder` }, respond: [500] })
  const selected = page.getByRole("region", { name: "Selected recordings" })
  await selected.getByLabel("Move to").selectOption({ label: "Bugs" })
  await selected.getByRole("button", { name: "Move" }).click()
  const outcome = selected.getByRole("alert")
  await outcome.getByText("1 recording moved, 1 not moved.").waitFor()
  expect(await outcome.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^Checkout fails in Safari: /)
  ])
  await selected.getByText("1 selected").waitFor()
  await selected.getByRole("button", { name: "Move" }).click()
  await console.seesNotice("1 recording moved.")
  expect(console.problems.splice(0).join()).toContain("500")
})

test("the ticket of a recording is a link to the helpdesk once the account has its address", async () => {
  const console = await openConsole("/account")
  const { page } = console
  const card = page.getByRole("region", { name: "Helpdesks" })
  await card.getByLabel("Address of Zendesk").fill("http://acme.zendesk.com")
  await card.getByRole("button", { name: "Save" }).click()
  await card
    .getByRole("alert")
    .getByText("helpdesk_addresses.zendesk must be an address such as https://acme")
    .waitFor()
  expect(console.problems.splice(0).join()).toContain("422")
  await card.getByLabel("Address of Zendesk").fill("https://Acme.Zendesk.com/")
  await card.getByRole("button", { name: "Save" }).click()
  await console.seesNotice("Saved.")
  expect(await card.getByLabel("Address of Zendesk").inputValue()).toBe("https://acme.zendesk.com")
  await console.go(`/recordings/${uuid(1)}`)
  expect(await console.link("Zendesk 4711").getAttribute("href")).toBe("https://acme.zendesk.com/agent/tickets/4711")
})

test("a share link is copied", async () => {
  const console = await openConsole("/recordings")
  await console.button("Copy the link of Checkout fails in Safari").click()
  await console.seesNotice("The link is copied. It opens for: Every person with the link.")
  expect(await console.page.evaluate(() => navigator.clipboard.readText())).toMatch(new RegExp(`/r/${uuid(1)}$`))
})

test("a recording is shared with members only, and by a link with a password, which is revoked", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`)
  const { page } = console
  await page.getByRole("tab", { name: "Sharing" }).click()
  const shared = () => console.read(`/recordings/${uuid(1)}/sharing`)
  // Keys of the keyboard choose, and change nothing.
  await page.getByLabel("Every person with the link").focus()
  await page.keyboard.press("ArrowDown")
  expect(await page.getByLabel("Signed-in members of the account").isChecked()).toBe(true)
  await page.getByLabel("Show the log on the page").check()
  expect(await shared()).toMatchObject({ sharing: "public", is_log_shared: false })
  await console.link("Folders").click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
  await console.button("Save").click()
  await console.seesNotice("Saved.")
  expect(await shared()).toMatchObject({ sharing: "account", is_log_shared: true })
  await page.getByLabel("Ends").selectOption("After 7 days")
  await page.getByLabel("Password").fill("open sesame")
  await console.button("New link").click()
  await console.seesNotice("The link is created and copied.")
  const links = page.getByRole("list", { name: "Share links" })
  await links.getByText("Password").waitFor()
  await links.getByRole("button", { name: "Copy the link" }).and(page.locator(":focus")).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await links.locator("p").first().textContent())
  await console.button("Revoke the link").click()
  await page
    .getByRole("alertdialog")
    .or(page.getByRole("dialog"))
    .getByRole("button", { name: "Revoke the link" })
    .click()
  await console.seesNotice("The link is revoked.")
  await page.getByText("No links yet.").waitFor()
  // The list still shows the still of a recording that is not public.
  const still = page.waitForResponse(/thumbnail\?access=/)
  await console.link("Recordings").click()
  expect((await still).status()).toBe(200)
})

test("a recording is made, with a video", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  await console.button("New recording").click()
  const form = page.getByRole("dialog")
  await form.getByLabel("Title").fill("How to pay")
  await form.getByLabel("Ticket").fill("https://app.intercom.com/a/inbox/x1/inbox/shared/all/conversation/215470012")
  await form.getByLabel("Video").setInputFiles({
    name: "a.webm",
    mimeType: "video/webm",
    buffer: webm(0)
  })
  await form.getByRole("button", { name: "Create" }).click()
  await page.getByRole("heading", { name: "How to pay" }).waitFor()
  await console.seesNotice("The video is uploaded.")
  await page.getByRole("region", { name: "Player" }).waitFor()
  await page.getByText("Intercom 215470012").first().waitFor()
})

test("a file that is no video is refused before anything is made or sent, and can be replaced", async () => {
  const console = await openConsole("/recordings")
  const { page } = console
  const text = { name: "notes.mp4", mimeType: "video/mp4", buffer: Buffer.from("not a video") }
  const video = { name: "a.txt", mimeType: "text/plain", buffer: webm(0) }
  const sent: Array<string> = []
  page.on("request", (request) => ["POST", "PUT"].includes(request.method()) && sent.push(request.url()))
  await console.button("New recording").click()
  const form = page.getByRole("dialog")
  await form.getByLabel("Video").setInputFiles(text)
  await form.getByRole("alert").getByText("notes.mp4 is not a video").waitFor()
  await form.getByRole("button", { name: "Create" }).click()
  await form.getByLabel("Video").setInputFiles([])
  await form.getByRole("alert").waitFor({ state: "detached" })
  expect(sent).toEqual([])
  await form.getByRole("button", { name: "Create" }).click()
  const file = page.locator('input[type="file"][accept^="video/"]')
  await page.getByText("There is no video yet.").waitFor()
  for (const _ of [1, 2]) {
    await file.setInputFiles(text)
    await console.seesNotice(/^notes.mp4 is not a video/)
    await console.button("Close").click()
  }
  expect(sent).toHaveLength(1)
  await file.setInputFiles(video)
  await console.seesNotice("The video is uploaded.")
})

test.each([
  ["no_transcriber", /This server creates none, because no transcriber is set up/],
  ["no_video", /One can be created once there is a video/]
])("a transcript that %s blocks is not offered, with the reason", async (blocked, reason) => {
  const console = await openConsole("/personal")
  await changed(console, `/recordings/${uuid(2)}/transcript`, { request_blocked_by: blocked })
  await console.go(`/recordings/${uuid(2)}`)
  const transcript = console.page.getByRole("region", { name: "Transcript" })
  await transcript.getByText(reason).waitFor()
  expect(await transcript.getByRole("button", { name: "Create a transcript" }).isDisabled()).toBe(true)
})

test("a recording that is being made, or whose video is put together or prepared, says so and offers no upload", async () => {
  const console = await openConsole("/personal")
  const { page } = console
  const start = `${console.control.replace("/_emulator", "")}/api`
  const { token } = await console.call<{ token: string }>("/sessions", { user: "ada@acme.test" })
  const begun = await fetch(`${start}/settings/captures`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}"
  })
  const capture = (await begun.json()) as { recording_uuid: string; capture_token: string; finish_url: string }
  await console.go(`/recordings/${capture.recording_uuid}`)
  await page.getByRole("status").getByText("This recording is being made.").waitFor()
  expect(await page.getByText("Upload a video").count()).toBe(0)
  await fetch(new URL(capture.finish_url, start), {
    method: "POST",
    headers: { authorization: `Capture ${capture.capture_token}` }
  })
  // The page hears of it by itself.
  await page.getByText("Upload a video").waitFor()
  await changed(console, `/recordings/${capture.recording_uuid}`, { capture_state: "finishing" })
  await changed(console, `/recordings/${uuid(2)}`, {
    media_work: [{ kind: "process", state: "processing", problem: null }]
  })
  await console.go(`/recordings/${uuid(2)}`)
  await page.getByRole("status").getByText("The video is being prepared.").waitFor()
  await console.open(`/recordings/${capture.recording_uuid}`)
  await page.getByRole("status").getByText("Its video is being put together.").waitFor()
  expect(await page.getByText("Upload a video").count()).toBe(0)
})

test("a video is trimmed by keyboard, its log follows, and the undo brings the whole back", async () => {
  const console = await openConsole(`/recordings/${uuid(2)}`)
  const { page } = console
  await page.getByText("7 events", { exact: true }).waitFor()
  await console.button("Trim").click()
  const position = page.getByRole("slider", { name: "Position" })
  await position.fill("2")
  await page.keyboard.press("i")
  await position.fill("10.5")
  await page.keyboard.press("o")
  const form = page.getByRole("form", { name: "Trim" })
  await expect.poll(() => form.getByLabel("End", { exact: true }).inputValue()).toBe("10.5")
  expect(await form.getByLabel("Start", { exact: true }).inputValue()).toBe("2")
  await console.button("Trim the video").click()
  await console.seesNotice("The video is trimmed.")
  await page.getByText("Trimmed to 0:02 – 0:10").waitFor()
  await page.getByText("4 events", { exact: true }).waitFor()
  await page.getByRole("option", { name: /^0:01.*button Pay/ }).waitFor()
  await console.button("Undo the trim").click()
  await console.seesNotice("The whole video is back.")
  await page.getByText("7 events", { exact: true }).waitFor()
})

test("the transcript is searched, and its text and speakers are edited", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`)
  const transcript = console.page.getByRole("region", { name: "Transcript" })
  await transcript.getByLabel("Search in the transcript").fill("nothing")
  expect(await transcript.getByRole("list", { name: "Segments" }).getByRole("listitem").count()).toBe(1)
  await transcript.getByRole("button", { name: "Edit" }).click()
  await transcript.getByLabel("Speaker 0").fill("Kim Lee")
  await transcript.getByLabel("Said at 0:00").fill("I wanted to pay.")
  await console.button("Save the transcript").click()
  await transcript.getByRole("button", { name: "0:00 Kim Lee I wanted to pay." }).waitFor()
  await transcript.getByRole("button", { name: "0:06 Kim Lee Nothing happens." }).waitFor()
})

test("an admin edits what a recording says of itself, and a member does not", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`)
  const { page } = console
  await console.button("Edit the details").click()
  await page.getByRole("dialog").getByLabel("Title").fill("Checkout fails")
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await page.getByRole("heading", { name: "Checkout fails", exact: true }).waitFor()
  const helpdesk = async () =>
    (await console.read<{ metadata: { helpdesk_info: object } }>(`/recordings/${uuid(1)}`)).metadata.helpdesk_info
  expect(await helpdesk()).toMatchObject({ platform: "zendesk", ticket_id: "4711" })
  await console.button("Edit the details").click()
  await page.getByRole("dialog").getByLabel("Ticket").fill("4713")
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await page.getByText("Zendesk 4713 · kim@customer.test").waitFor()
  expect(await helpdesk()).toMatchObject({ platform: "zendesk", ticket_id: "4713" })
  await console.button("Edit the details").click()
  await page.getByRole("dialog").getByLabel("Ticket").fill("")
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await expect.poll(helpdesk).toMatchObject({ platform: "tapedeck", ticket_id: null })
  await page.getByRole("combobox", { name: "Signed in as" }).selectOption("bob@acme.test")
  await page.getByRole("complementary").getByText("bob@acme.test").waitFor()
  await page.getByRole("tab", { name: "Console" }).waitFor()
  expect(await console.button("Edit the details").count()).toBe(0)
  expect(await page.getByRole("tab", { name: "Webhooks" }).count()).toBe(0)
})

test("a recording shows its console output, its errors, its browser and its webhooks", async () => {
  const console = await openConsole(`/recordings/${uuid(1)}`)
  const { page } = console
  await page.getByRole("tab", { name: "Console" }).click()
  await page.getByRole("list", { name: "Console output" }).getByText("TypeError: null is not an object").waitFor()
  await page.getByRole("region", { name: "Network errors" }).getByRole("listitem").first().waitFor()
  const lines = (name: string) => page.getByRole("region", { name }).getByRole("listitem").allInnerTexts()
  expect((await lines("Console errors")).join()).toContain("TypeError: null is not an object")
  expect((await lines("Network errors")).join()).toContain("503 POST https://shop.test/api/pay")
  await page.getByRole("tab", { name: "Technical" }).click()
  await page.getByText("Safari 19").waitFor()
  await page.getByText("macOS 15").waitFor()
  await page.getByRole("tab", { name: "Webhooks" }).click()
  await page.getByText("No webhooks about this recording").waitFor()
  await page.getByLabel("Folder", { exact: true }).selectOption({ label: "Bugs" })
  await page.getByRole("button", { name: "Move", exact: true }).click()
  await page.getByRole("row", { name: /Scheduled Checkout fails in Safari \(Zendesk 4711\) → / }).waitFor()
  await console.go("/deliveries")
  await page.getByLabel("Recording", { exact: true }).fill(`https://tapedeck.test/r/${uuid(2)}`)
  await page.getByText("No delivery matches").waitFor()
  await console.button("Of one recording").click()
  await page.getByLabel("Recording", { exact: true }).fill(uuid(1).toUpperCase())
  await console.link("Checkout fails in Safari (Zendesk 4711)").click()
  await page.getByRole("heading", { name: /^Delivery / }).waitFor()
  await console.go("/security")
  await page.getByLabel("Recording", { exact: true }).fill(uuid(1))
  await page.getByText("1 entry", { exact: true }).waitFor()
  await console.button("Ada Lovelace moved Checkout fails in Safari (Zendesk 4711) into the folder Bugs").waitFor()
})
