import { expect, test } from "vitest"
import { logOf, openConsole, requestAt, team, uuid } from "./support/open.ts"
import { eachScreen } from "./support/screens.ts"

const markup = "<img src=x onerror=\"document.title='broken out'\"><script>document.title='broken out'</script>"
/** Overrides the direction of all that follows it, where it is not isolated. */
const override = "\u202e"
const line = (length: number) => `${markup}${override}${"x".repeat(length - markup.length - 1)}`

/** All that members, customers and receivers write, each as long as it may be and without a space. */
const hostile = {
  ...team,
  account: { name: line(200) },
  users: [
    { email: "ada@acme.test", name: line(255), role: "admin" },
    { email: "bob@acme.test", name: line(255), role: "member" }
  ],
  folders: [{ id: "bugs", name: line(255) }],
  recordings: [
    {
      uuid: uuid(1),
      title: line(255),
      summary: line(10_000),
      description: line(65_535),
      user: "bob@acme.test",
      helpdesk: { platform: "zendesk", ticket_id: line(255) },
      technical_details: { vendor: line(255), isp: line(255) },
      browser: line(255),
      os: line(255),
      console_logs: line(65_000),
      console_errors: [line(900_000), { message: line(1_000) }],
      network_errors: [{ url: line(900_000), method: "GET", status: 500 }],
      transcript: {
        language: "en",
        speaker_map: { "0": line(200) },
        segments: [{ start_seconds: 0, end_seconds: 6, text: line(10_000), sentences: [{ speaker: "0" }] }]
      }
    },
    {
      uuid: uuid(2),
      title: line(255),
      log: logOf([
        requestAt(0, 500, {
          url: line(7_000),
          method: line(1_000),
          error: line(7_000),
          request_headers: { "x-hostile": line(7_000) },
          response_headers: { [markup]: markup },
          request_body: line(100_000),
          response_body: JSON.stringify({ text: line(100_000) })
        }),
        { t: 1, kind: "console", level: "error", message: line(7_000), stack: line(7_000) },
        { t: 2, kind: "error", message: line(7_000), source: line(7_000) },
        { t: 3, kind: "navigation", url: line(7_000), title: line(7_000) },
        { t: 4, kind: "click", target: line(7_000) },
        { t: 5, kind: "mark", text: line(7_000) },
        { t: 6, kind: "gap", reason: line(1_000), dropped: 1 }
      ])
    }
  ],
  sinks: [
    {
      id: "crm",
      respond: [{ status: 500, headers: { "x-hostile": markup, "x-long": "y".repeat(5_000) }, body: line(1_000_000) }]
    }
  ],
  automations: [
    {
      id: "bugs-to-crm",
      folder: "bugs",
      url: "sink:crm",
      headers: { "X-Markup": markup },
      payload: JSON.stringify({
        text: line(30_000),
        title: "{{recording.title}}",
        errors: "{{recording.console_errors}}"
      })
    }
  ],
  audit_destinations: [{ id: "siem", name: line(255), url: "sink:crm", description: line(255), filters: {} }]
}

/** As many characters as a screen lays out at once: a line of a megabyte would freeze it. */
const maxCharacters = 250_000

test("hostile texts of any length are shown as text on every screen, within it, and turn nothing beside them", async () => {
  const console = await openConsole("/world", { fixtures: hostile })
  const { page } = console
  const found: Array<string> = []
  let texts = 0
  await eachScreen(console, async (screen) => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      const seen = await page.evaluate(
        ([mark, most]) => {
          const problems: Array<string> = []
          if (document.querySelector("img[src=x], body script") !== null) problems.push("markup in the document")
          if (document.title === "broken out") problems.push("a script ran")
          const needed = Math.max(
            document.documentElement.scrollWidth,
            document.querySelector("main")?.scrollWidth ?? 0
          )
          if (needed > innerWidth) problems.push(`${needed} px wide`)
          let marked = 0
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
          let characters = 0
          for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
            // What is edited is there as a whole.
            if (text.parentElement?.closest("option, textarea") !== null) continue
            characters += text.textContent?.length ?? 0
            if (!text.textContent?.includes(mark)) continue
            marked += 1
            for (let one = text as Node, parent = one.parentElement; parent !== null; parent = one.parentElement) {
              const { display, unicodeBidi } = getComputedStyle(parent)
              if (unicodeBidi !== "normal" && unicodeBidi !== "embed") break
              if (parent.childNodes.length > 1) {
                problems.push(`not isolated: ${parent.outerHTML.slice(0, 100)}`)
                break
              }
              if (!display.startsWith("inline")) break
              one = parent
            }
          }
          if (characters > most) problems.push(`${characters} characters`)
          return { problems, texts: marked }
        },
        [override, maxCharacters] as const
      )
      texts += seen.texts
      found.push(...seen.problems.map((problem) => `${screen}, ${width} px: ${problem}`))
    }
  })
  expect(found).toEqual([])
  // Those that were looked at.
  expect(texts).toBeGreaterThan(100)
})
