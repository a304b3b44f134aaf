import { chromiumPath } from "@tapedeck/tsconfig/chromium.ts"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { expect, inject, onTestFinished } from "vitest"
import { waitMs, within } from "./within.ts"

let browser: Promise<Browser> | undefined

/** The browser of this process. It ends with it. */
const launched = (): Promise<Browser> => {
  browser ??= chromium.launch({
    executablePath: chromiumPath,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
      // A screen, a microphone and a camera that show a pattern, and allow themselves.
      ...["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream=fps=5"]
    ],
    timeout: waitMs
  })
  return browser
}

/** Recording `n` of the team. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

/** A WebM of this size at least: its header, and nothing to see. */
export const webm = (sizeBytes: number): Buffer => {
  const header = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")
  return Buffer.concat([header, Buffer.alloc(Math.max(sizeBytes - header.length, 0))])
}

/** A capture log with these events, numbered in their order. */
export const logOf = (events: ReadonlyArray<object>): string => {
  const header = {
    version: 1,
    started_at: "2026-01-01T10:00:00.000Z",
    page: { url: "https://shop.test/cart", title: "Cart" },
    user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    viewport: { width: 1280, height: 720 },
    timezone: "Europe/Berlin",
    language: "en"
  }
  return [header, ...events.map((event, seq) => ({ seq, ...event }))].map((line) => JSON.stringify(line)).join("\n")
}

/** A request of the log. */
export const requestAt = (t: number, status: number, more: object = {}) => ({
  ...{ t, kind: "network", id: String(t), method: "POST", url: "https://shop.test/api/pay", status },
  ...{ initiator: "fetch", duration_ms: 120, request_headers: {}, response_headers: {}, ...more }
})

/** An account with something of each kind. */
export const team = {
  account: { name: "Acme" },
  users: [
    { email: "ada@acme.test", name: "Ada Lovelace", role: "admin" },
    { email: "bob@acme.test", name: "Bob Noyce", role: "member" }
  ],
  folders: [
    { id: "bugs", name: "Bugs" },
    { id: "vip", name: "VIP customers" }
  ],
  recordings: [
    {
      uuid: uuid(1),
      title: "Checkout fails in Safari",
      summary: "The pay button does nothing.",
      user: "bob@acme.test",
      helpdesk: { platform: "zendesk", ticket_id: "4711" },
      duration: 14,
      customer: { email: "kim@customer.test" },
      console_logs: "[error] TypeError: null is not an object",
      network_errors: [{ method: "POST", url: "https://shop.test/api/pay", status: 503 }],
      browser: "Safari 19",
      os: "macOS 15",
      transcript: {
        language: "en",
        speaker_map: { "0": "Kim" },
        segments: [
          { start_seconds: 0, end_seconds: 6, text: "I want to pay.", sentences: [{ speaker: "0" }] },
          { start_seconds: 6, end_seconds: 9, text: "Nothing happens.", sentences: [{ speaker: "0" }] }
        ]
      }
    },
    {
      uuid: uuid(2),
      title: "How to export invoices",
      user: "ada@acme.test",
      recording_type: "Sent",
      duration: 20,
      video: { original: { base64: webm(64).toString("base64"), content_type: "video/webm" } },
      log: logOf([
        { t: -2_000, kind: "navigation", url: "https://shop.test/cart", title: "Cart" },
        { t: 1_000, kind: "console", level: "info", message: "cart loaded" },
        { t: 3_000, kind: "click", target: "button Pay" },
        requestAt(3_100, 503, {
          request_headers: { "content-type": "application/json", authorization: "[redacted]" },
          response_headers: { "retry-after": "1" },
          request_body: '{"amount":5}',
          response_body: '{"error":"busy"}'
        }),
        { t: 3_300, kind: "error", message: "TypeError: invoice is null", stack: "at pay (cart.js:1:2)" },
        requestAt(9_000, 200),
        { t: 12_000, kind: "mark", text: "Here it fails" }
      ])
    }
  ],
  sinks: [{ id: "crm", respond: [503, 200] }],
  automations: [{ id: "bugs-to-crm", folder: "bugs", url: "sink:crm", secret: "automation-secret" }],
  audit_destinations: [{ id: "siem", name: "SIEM", url: "sink:crm", filters: { severities: ["high"] } }]
}

interface Made {
  readonly control_url: string
}

const post = async <Answer>(url: string, body: unknown, method = "POST"): Promise<Answer> => {
  const request = { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const answer = async () => {
    const response = await fetch(url, request)
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
  return within(`the answer of ${method} ${url}`, answer())
}

/**
 * Replaces the payload in the editor, by its own keys: Playwright's `fill` selects in the document, and the editor may set
 * that back when it takes the focus.
 */
export const writePayload = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Payload").press("ControlOrMeta+A")
  await page.keyboard.insertText(text)
}

/** A world of its own, and the console on it. */
export class Console {
  readonly page: Page
  readonly control: string
  /** What the page wrote to the console as an error; a test takes away what it provokes. */
  readonly problems: Array<string> = []

  constructor(page: Page, control: string) {
    this.page = page
    this.control = control
    page.on("console", (message) => {
      if (message.type() === "error") this.problems.push(`${message.text()} ${message.location().url}`)
    })
    page.on("pageerror", (error) => this.problems.push(error.message))
  }

  /** Loads a page of the console. */
  async open(path: string, heading?: string): Promise<void> {
    await this.page.goto(`${this.control}/ui${path}`)
    await this.page.getByRole("heading", heading === undefined ? { level: 1 } : { name: heading }).waitFor()
  }

  /** Goes to another page of the console as its links do, without a load. */
  async start(path: string): Promise<void> {
    await this.page.evaluate((url) => {
      document.title = ""
      history.pushState({}, "", url)
      dispatchEvent(new PopStateEvent("popstate"))
    }, `${this.control}/ui${path}`)
    await this.page.waitForFunction(() => document.title !== "")
  }

  /** The same, until it has loaded. */
  async go(path: string): Promise<void> {
    await this.start(path)
    await this.page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" })
  }

  addToFolder(folder: string, recording: string): Promise<{ readonly deliveries: ReadonlyArray<string> }> {
    return post(`${this.control}/folders/${folder}/recordings`, { recording })
  }

  advance(goal: object): Promise<unknown> {
    return post(`${this.control}/clock/advance`, goal)
  }

  call<Answer>(path: string, body: unknown, method?: string): Promise<Answer> {
    return post(`${this.control}${path}`, body, method)
  }

  /** Reads from the settings API, as its first admin. */
  async read<Answer>(path: string): Promise<Answer> {
    const { token } = await post<{ readonly token: string }>(`${this.control}/sessions`, { user: "ada@acme.test" })
    const url = this.control.replace("/_emulator", `/api/settings${path}`)
    const answer = async () => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      return (await response.json()) as Answer
    }
    return within(`the answer of ${url}`, answer())
  }

  button(name: string | RegExp) {
    return this.page.getByRole("button", { name, exact: typeof name === "string" })
  }

  link(name: string) {
    return this.page.getByRole("link", { name, exact: true })
  }

  /** The notice that says what was done. */
  async seesNotice(text: string | RegExp): Promise<void> {
    await this.page.getByRole("list", { name: "Notices" }).getByText(text).waitFor()
  }
}

export interface OpenOptions {
  readonly fixtures?: object
  readonly as?: string
  readonly width?: number
  /** What is waited for, where it is not the page's first heading. */
  readonly heading?: string
}

let shared: Promise<BrowserContext> | undefined

/** What is loaded once serves all tests. */
const context = async (): Promise<BrowserContext> => {
  shared ??= newContext()
  return shared
}

const openContext = async (options: BrowserContextOptions): Promise<BrowserContext> =>
  within("a context of the browser", (await launched()).newContext(options))

const newContext = async (): Promise<BrowserContext> => {
  const opened = await openContext({
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    timezoneId: "UTC"
  })
  opened.setDefaultTimeout(waitMs)
  await opened.addInitScript(hurry)
  return opened
}

/** Runs in each page: the recorder counts down without pauses, and records a small screen, which takes a tenth of the time to encode. */
export const hurry = () => {
  if (!location.pathname.includes("/c/")) return
  const { setTimeout } = window
  const hurried = (act: TimerHandler, delay?: number, ...rest: Array<unknown>) =>
    setTimeout(act, delay === 1_000 ? 0 : delay, ...rest)
  Object.assign(window, { setTimeout: hurried })
  const { getDisplayMedia } = MediaDevices.prototype
  MediaDevices.prototype.getDisplayMedia = function (options) {
    const video = { ...(options?.video as MediaTrackConstraints), width: { max: 320 }, height: { max: 180 } }
    return getDisplayMedia.call(this, { ...options, video })
  }
}

/** Tabs that no test uses. A tab that is used again has its process and its compiled scripts. */
const free: Array<Page> = []

/** Closes the windows that a test's page opened: they hold what they record. */
const closePopups = (page: Page) => {
  const popups: Array<Page> = []
  page.on("popup", (popup) => popups.push(popup))
  onTestFinished(async () => {
    for (const popup of popups) await popup.close()
  })
}

const newTab = async (): Promise<Page> => within("a new tab", (await context()).newPage())

/** A tab without anything of the tests before. What the policy of a page refuses in it, or in a window that it opens, fails the test. */
export const openTab = async (width = 1280): Promise<Page> => {
  const page = free.pop() ?? (await newTab())
  // Chromium draws a tab in the background once a second.
  await within("the tab to come to the front", page.bringToFront())
  await within("the tab's size", page.setViewportSize({ width, height: 800 }))
  closePopups(page)
  const refused: Array<string> = []
  onTestFinished(async () => {
    await within("the tab to be emptied", emptyTab(page))
    page.removeAllListeners()
    free.push(page)
    expect(refused).toEqual([])
  })
  const said = describeFailure(page)
  const listen = (one: Page) =>
    one.on("console", (message) => {
      if (one !== page) said.push(message.text())
      if (isOfPolicy.test(message.text())) refused.push(`${message.text()} ${message.location().url}`)
    })
  listen(page)
  page.on("popup", listen)
  return page
}

/** Undoes what a test set in a tab, and leaves its page. */
const emptyTab = async (page: Page) => {
  await page.context().setOffline(false)
  await page.emulateMedia({ colorScheme: null })
  await page.evaluate(() => localStorage.clear())
  const { origin } = new URL(page.url())
  await page.goto("about:blank")
  await clearDatabases(page, [origin, inject("emulator")])
}

/** Removes the recordings that a failed test left in the browser. The tests after it count those that are there. */
const clearDatabases = async (page: Page, origins: ReadonlyArray<string>) => {
  const session = await page.context().newCDPSession(page)
  for (const origin of origins.filter((each) => each.startsWith("http"))) {
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" })
  }
  await session.detach()
}

/** What Chromium writes when the page's policy refuses something, whether it stops it or only reports it. */
const isOfPolicy = /Content Security Policy|Permissions policy/i

/** Prints what the page showed and said if the test fails, before the hooks that were added earlier run. Returns what it has said so far. */
const describeFailure = (page: Page): Array<string> => {
  const said: Array<string> = []
  page.on("console", (message) => said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  page.on("requestfailed", (request) => said.push(`${request.url()}: ${request.failure()?.errorText}`))
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") console.error(await describe(page, said))
  })
  return said
}

/** What the page showed and said, for a test that failed on it. */
const describe = async (page: Page, said: ReadonlyArray<string>): Promise<string> => {
  const shown = await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String)
  return [page.url(), shown.slice(0, 2_000), ...said.slice(-20)].join("\n")
}

/** A tab that no other test uses, for scripts that run before the page's. */
export const openOwnTab = async (): Promise<Page> => {
  const page = await newTab()
  // Chromium draws a tab in the background once a second.
  await within("the tab to come to the front", page.bringToFront())
  onTestFinished(() => page.close())
  closePopups(page)
  describeFailure(page)
  return page
}

/** Removes a page's routes when their handlers have ended. */
export const removeRoutes = (page: Page): Promise<void> =>
  within("the handlers of the page's routes to end", page.unrouteAll({ behavior: "wait" }))

/** The same world in another tab. */
export const openBeside = async ({ control }: Console, path: string): Promise<Console> => {
  const opened = new Console(await openTab(), control)
  await opened.open(path)
  return opened
}

/** The console on a new world. Errors on the browser's console fail the test, refusals by the page's policy included. */
export const openConsole = async (path: string, { as, fixtures = team, heading, width = 1280 }: OpenOptions = {}) => {
  const { control_url: control } = await post<Made>(`${inject("emulator")}/_emulator/worlds`, { fixtures })
  const page = await openTab(width)
  const opened = new Console(page, control)
  await opened.open(path, heading)
  if (as !== undefined) {
    await page.getByRole("combobox", { name: "Signed in as" }).selectOption(as)
    await page.getByRole("complementary").getByText(as).waitFor()
  }
  onTestFinished(() => {
    expect(opened.problems).toEqual([])
  })
  return opened
}
