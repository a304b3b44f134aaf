import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, expect, inject, onTestFinished, test } from "vitest"
import { Console, openTab, uuid } from "./support/open.ts"
import { succeeds, typed } from "./support/shell.ts"

/** Text with a meaning in each language, in shells and their history. */
const quoting = "'''\"\\ !! `id` $(id) $HOME {{event}} é 日本 \u{1f469}\u200d\u{1f4bb} <b>"
/** In terminals and editors, too. */
const hostile = `${quoting}\u001b[201~\u0003 \u2028\u202e`

/** Value `index` of a list that starts over. */
const cycle = <Value>(values: ReadonlyArray<Value>, index: number): Value => values[index % values.length]!

const methods = ["POST", "PUT", "PATCH", "DELETE"]
const headers = [
  {},
  { "X-Env": "it's !$HOME", Authorization: "Bearer a'b\"c" },
  { "Content-Type": "application/x+json" }
]
const payloads = [
  null,
  '{"title": "{{recording.title}}", "at": "{{timestamp}}", "literal": "{\\u007bevent}}"}',
  '{"errors": {{recording.console_errors}}, "network": {{recording.network_errors}}, "folder": "{{folder.id}}"}',
  '["{{recording.video_url}}", {{recording.duration}}, "{{account.name}}", "it\'s !x", {"__proto__": "{{recording.os}}"}]'
]
const recordings = [
  { title: "Checkout fails" },
  { title: hostile, console_errors: [hostile, { control_url: "http://127.0.0.1:1", deep: [hostile] }] },
  { title: "Private", sharing: "off", duration: 42, os: hostile, customer: { email: "kim@customer.test" } },
  {
    title: "Logs",
    browser: "Safari",
    console_logs: "[error] a\n[info] b",
    network_errors: [{ status: 503, url: hostile }]
  }
]
const automationOf = (index: number) => ({
  method: cycle(methods, index),
  headers: cycle(headers, index),
  payload: cycle(payloads, Math.floor(index / 2))
})

type Act = (world: Opened) => Promise<unknown>

const idle: Act = (world) => world.advance({ until: "idle" })
const by =
  (length: string): Act =>
  (world) =>
    world.advance({ by: length })
const cancel: Act = ({ delivery, settings }) => settings("POST", `/deliveries/${delivery}/cancel`)

interface Case {
  readonly state: string
  readonly respond: ReadonlyArray<unknown>
  readonly acts: ReadonlyArray<Act>
  /** Where it is not the sink. */
  readonly url?: string
  /** Whether the template of the test cannot be that of the automation. */
  readonly isChanged?: true
}

const allStages = [500, "timeout", "reset", "refused", "dns", "tls"]
const slow = { status: 503, after: "PT7.5S", body: "later", headers: { "retry-after": "5" } }

const cases: ReadonlyArray<Case> = [
  { state: "delivered", respond: [200], acts: [idle] },
  { state: "delivered", respond: [slow, "timeout", { status: 201, after: "PT1S" }], acts: [idle] },
  { state: "waiting", respond: [500, "reset"], acts: [by("PT2M")] },
  { state: "waiting", respond: [slow, "timeout"], acts: [by("PT59M")] },
  { state: "scheduled", respond: [200], acts: [] },
  { state: "cancelled", respond: [200], acts: [cancel, idle] },
  { state: "cancelled", respond: [slow], acts: [by("PT30S"), cancel, idle] },
  { state: "cancelled", respond: ["timeout"], acts: [by("PT1M10S"), cancel, idle] },
  { state: "permanently_failed", respond: allStages, acts: [idle] },
  // Cancelled during the last attempt.
  { state: "cancelled", respond: [...allStages.slice(0, 5), "timeout"], acts: [by("PT14H36M"), cancel, idle] },
  { state: "attempting", respond: [410, "timeout"], acts: [by("PT1M10S")] },
  { state: "waiting", respond: [], acts: [by("PT1M")], url: "https://hooks.customer.test/x?y='z'" },
  // The recording, the template and the method have changed since.
  {
    state: "delivered",
    respond: [500, 200],
    isChanged: true,
    acts: [
      idle,
      ({ settings }) => settings("PATCH", `/recordings/${uuid(1)}`, { title: "Changed since" }),
      ({ settings }) => settings("PATCH", "/automations/a", { payload: '["{{recording.title}}"]', method: "DELETE" })
    ]
  },
  // They are deleted.
  {
    state: "delivered",
    respond: [302, 204],
    isChanged: true,
    acts: [
      idle,
      ({ settings }) => settings("DELETE", "/automations/a"),
      ({ settings }) => settings("DELETE", `/recordings/${uuid(1)}`)
    ]
  },
  // It is delivered again a day later.
  {
    state: "delivered",
    respond: [200, 500, 204],
    isChanged: true,
    acts: [
      idle,
      by("P1D"),
      async (world) => {
        const again = await world.settings("POST", `/automations/a/deliveries/${world.delivery}/redeliver`)
        world.delivery = (again as { readonly id: string }).id
      },
      idle
    ]
  },
  // Its payload would be too large.
  { state: "permanently_failed", respond: [200], acts: [idle], isChanged: true }
]

const tooLarge = cases.length - 1
const folderId = "a folder's id/!x"

const request = async (method: string, url: string, body?: unknown, token?: string): Promise<never> => {
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return (text === "" ? undefined : JSON.parse(text)) as never
}

interface Opened {
  readonly control: string
  delivery: string
  readonly advance: (goal: object) => Promise<unknown>
  readonly settings: (method: string, path: string, body?: unknown) => Promise<unknown>
}

/** A world with the delivery of a case. */
const make = async ({ acts, respond, state, url = "sink:crm" }: Case, index: number): Promise<Opened> => {
  const isLarge = index === tooLarge
  const world = await request("POST", `${inject("emulator")}/_emulator/worlds`, {
    now: `2026-03-${10 + index}T08:09:10.123Z`,
    seed: index,
    ...(index % 3 === 1 && { config: { public_url: "https://else.test/x", vendor: "Else", standard_webhooks: false } }),
    fixtures: {
      account: { id: 7, name: quoting },
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
      folders: [{ id: folderId, name: `Folder ${quoting}` }],
      recordings: [{ uuid: uuid(1), ...(isLarge ? { title: "\u0001".repeat(255) } : cycle(recordings, index)) }],
      sinks: [{ id: "crm", respond: respond.length === 0 ? [200] : respond }],
      automations: [
        {
          id: "a",
          folder: folderId,
          url,
          ...automationOf(index),
          ...(isLarge && { payload: JSON.stringify(Array.from({ length: 800 }, () => "{{recording.title}}")) })
        }
      ]
    }
  })
  const {
    base_url: base,
    control_url: control,
    tokens
  } = world as {
    readonly base_url: string
    readonly control_url: string
    readonly tokens: Readonly<Record<string, string>>
  }
  const path = `/folders/${encodeURIComponent(folderId)}/recordings`
  const { deliveries } = (await request("POST", `${control}${path}`, { recording: uuid(1) })) as {
    readonly deliveries: ReadonlyArray<string>
  }
  const opened: Opened = {
    control,
    delivery: deliveries[0]!,
    advance: (goal) => request("POST", `${control}/clock/advance`, goal),
    settings: (method, at, body) => request(method, `${base}/api/settings${at}`, body, tokens["ada@acme.test"])
  }
  for (const act of acts) await act(opened)
  expect(await opened.settings("GET", `/deliveries/${opened.delivery}`)).toMatchObject({ state })
  return opened
}

const languages = ["TypeScript (vitest)", "Python (pytest)", "curl (with jq)"] as const

interface CopiedTest {
  readonly index: number
  readonly language: (typeof languages)[number]
  readonly text: string
}

type Copied = ReadonlyArray<CopiedTest>

/** Copies each case in one language. Recordings, methods and payloads start over after four cases, languages after three. */
const copyAll = async (): Promise<Copied> => {
  const page = await openTab()
  const copied: Array<CopiedTest> = []
  for (const [index, one] of cases.entries()) {
    const language = cycle(languages, index)
    const { control, delivery } = await make(one, index)
    const console = new Console(page, control)
    await console.open(`/deliveries/${delivery}`)
    // The page's own: tests that run at the same time share the browser's clipboard.
    await page.evaluate(() => {
      const own = { text: "" }
      Object.assign(navigator.clipboard, {
        readText: async () => own.text,
        writeText: async (text: string) => {
          own.text = text
        }
      })
    })
    await console.button("Copy as a test").click()
    await page.getByRole("menuitem", { name: language }).click()
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(clipboard).not.toBe("")
    copied.push({ index, language, text: await clipboard() })
  }
  return copied
}

let made: Promise<Copied> | undefined
/** The copied tests of all cases. */
const copiedTests = (): Promise<Copied> => {
  made ??= copyAll()
  return made
}

const textsIn = async (language: CopiedTest["language"]): Promise<ReadonlyArray<string>> =>
  (await copiedTests()).filter((test) => test.language === language).map(({ text }) => text)

const hasCurl = succeeds("jq", "--version") && succeeds("curl", "--version")

/** Writes the tests into a folder of this package, whose dependencies they find. */
const written = (texts: ReadonlyArray<string>, nameOf: (index: number) => string): string => {
  const reports = join(import.meta.dirname, "../.reports")
  mkdirSync(reports, { recursive: true })
  const folder = mkdtempSync(join(reports, "copied-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  texts.forEach((text, index) => void writeFileSync(join(folder, nameOf(index)), text))
  return folder
}

const run = (file: string, args: ReadonlyArray<string>, cwd: string): Promise<string> =>
  new Promise((resolve) =>
    execFile(file, args, { cwd, env: { ...process.env, CI: "true", NO_COLOR: "1" } }, (error, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}\n${error === null ? "succeeded" : "failed"}`)
    )
  )

describe("Copy as a test", () => {
  test("gives the template, the method and no control characters in each language", async () => {
    const copied = await copiedTests()
    const controls = /[\p{C}\p{Zl}\p{Zp}]/u
    expect(copied.filter(({ text }) => controls.test(text.replaceAll("\n", "")))).toEqual([])
    for (const { index, language, text } of copied) {
      if (cases[index]!.isChanged || language !== "TypeScript (vitest)") continue
      const { method, payload } = automationOf(index)
      expect(text).toContain(`method: "${method}"`)
      expect(text).toContain(`payload: ${JSON.stringify(payload)}`)
    }
  })

  test("gives vitest tests that pass, each for its delivery", async () => {
    const copied = await textsIn("TypeScript (vitest)")
    const folder = written(copied, (index) => `copied${index}.test.ts`)
    writeFileSync(join(folder, "vitest.config.ts"), "export default { test: { isolate: false } }\n")
    const vitest = join(createRequire(import.meta.url).resolve("vitest/package.json"), "../vitest.mjs")
    const output = await run(process.execPath, [vitest, "run", "--root", folder], folder)
    expect(output).toMatch(/succeeded$/)
    expect(output).toContain(`${copied.length} passed (${copied.length})`)
  })

  test.skipIf(!succeeds("python3", "--version"))("gives Python tests that pass, twice the same", async () => {
    const copied = await textsIn("Python (pytest)")
    const folder = written(copied, (index) => `copied${index}.py`)
    const driver = [
      "import glob, runpy",
      "count = 0",
      "for path in glob.glob('copied*.py') * 2:",
      "    for name, value in runpy.run_path(path).items():",
      "        if name.startswith('test_'):",
      "            value()",
      "            count += 1",
      "print('passed', count)"
    ]
    expect(await run("python3", ["-B", "-c", driver.join("\n")], folder)).toContain(`passed ${2 * copied.length}\n`)
  })

  test.skipIf(!hasCurl)("gives curl commands that pass when pasted into bash, twice the same", async () => {
    const copied = await textsIn("curl (with jq)")
    const output = await typed([...copied, ...copied].join("\n"))
    expect(output.trim().split("\n")).toEqual(Array.from({ length: 2 * copied.length }, () => "passed"))
  })

  test.skipIf(!hasCurl)("gives tests that fail for another delivery", async () => {
    // What the next delivery sends and meets, with the end of this one.
    const copied = await textsIn("curl (with jq)")
    const scripts = copied.map((text, index) => {
      const next = cycle(copied, index + 1)
      const at = "expected=$("
      return `${text.slice(0, text.indexOf(at))}${next.slice(next.indexOf(at))}`
    })
    expect(await typed(scripts.join("\n"))).not.toContain("passed")
  })

  test("says so where a test cannot make the delivery again", async () => {
    const isElsewhere: Act = async ({ control, settings }) => {
      const { url } = (await request("GET", `${control}/sinks/crm`)) as { readonly url: string }
      await settings("PATCH", "/automations/a", { url, headers: {} })
    }
    const acts = [by("PT0S"), isElsewhere, idle]
    const case_ = { state: "delivered", respond: [200], acts, url: "https://hooks.customer.test/x" }
    const { control, delivery } = await make(case_, 0)
    const console = new Console(await openTab(), control)
    await console.open(`/deliveries/${delivery}`)
    await console.button("Copy as a test").click()
    await console.page.getByRole("menuitem", { name: "curl (with jq)" }).click()
    await console.seesNotice(/^A test cannot make this delivery again/)
  })
})
