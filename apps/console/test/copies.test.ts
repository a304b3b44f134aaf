import { type AddressInfo, createServer } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { curlOf } from "../src/recordings/log/curl.ts"
import { shellWord, visibleJson, visibleText } from "../src/ui/visible.ts"
import { logOf, openConsole, requestAt, team, uuid } from "./support/open.ts"
import { succeeds, typed } from "./support/shell.ts"

/** Ends a paste, ends the line, and runs a command. */
const breakout = "\u001b[201~\u0003\rtouch /tmp/copied-text-ran\r"

/** Pieces of hostile texts, for terminals, shells, their history, curl and JSON. */
const pieces = [
  ...[breakout, "\u009b201~\u0003", "\u001b]0;title\u0007", "\u007f\b\b", "\u202e\u2066\u2069\u200f", "\u2028\u2029"],
  ...["'", "''", "\\'", "\\", '"', "`id`", "$(id)", "$HOME", "!!", "!-1'!x", "$'\\x41'", "\\x41", "%s%n", "%41"],
  ...["@/etc/passwd", "-o /tmp/x", "; id #", "| id", "&& id", "{a,b}", "[1-3]", "*", "~", "\t", "a=b&c", "\ud800"],
  ...["\u{1f469}\u200d\u{1f4bb}", "\u{e0041}", "\u0001f", "é", "日本"]
]

/** Each piece alone, in a text, and beside the next. */
const hostileTexts = pieces.flatMap((piece, index) => [piece, `a${piece}z`, `${piece}${pieces[index + 1] ?? ""}'!x`])

/** Line breaks of our own are after a backslash. */
const hasControls = (command: string): boolean => /[\p{C}\p{Zl}\p{Zp}]/u.test(command.replaceAll(" \\\n  ", ""))

interface Received {
  readonly line: string
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer
}

/** A server that keeps the bytes of requests: Node's refuses controls in headers. */
const startReceiver = async () => {
  const received: Array<Received> = []
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0)
    socket.on("error", () => socket.destroy())
    socket.on("data", (part) => {
      bytes = Buffer.concat([bytes, part])
      const end = bytes.indexOf("\r\n\r\n")
      if (end < 0) return
      const [line = "", ...headers] = bytes.subarray(0, end).toString().split("\r\n")
      const length = Number(headers.find((header) => /^content-length:/i.test(header))?.slice(15) ?? 0)
      const body = bytes.subarray(end + 4)
      if (body.length < length) return
      received.push({ line, headers, body })
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const hasCurl = succeeds("curl", "--version")

const commandOf = (more: object): string => curlOf(requestAt(0, 200, more) as never)

test("bash passes each hostile text to its program as it is, and its history finds nothing in it", async () => {
  const words = hostileTexts.map(shellWord)
  expect(words.filter(hasControls)).toEqual([])
  const output = await typed(words.map((word) => `printf %s ${word} | od -An -v -tx1 | tr -d ' \\n'; echo`).join("\n"))
  expect(output.trimEnd().split("\n")).toEqual(hostileTexts.map((text) => Buffer.from(text).toString("hex")))
})

test.skipIf(!hasCurl)(
  "the copied cURL command of any hostile request is one request with the exact bytes",
  async () => {
    const { origin, received } = await startReceiver()
    const commands = hostileTexts.map((text) =>
      commandOf({
        url: `${origin}/a?b=${text}`,
        method: "PUT",
        request_headers: { "x-hostile": text, [text]: "1", "x-empty": "", "transfer-encoding": "chunked" },
        request_body: text
      })
    )
    expect(commands.filter(hasControls)).toEqual([])
    await typed(commands.map((command) => `${command} --silent --show-error`).join("\n"))
    expect(received.length).toBe(hostileTexts.length)
    hostileTexts.forEach((text, index) => {
      const { body, headers, line } = received[index]!
      const escaped = text.toWellFormed().replace(/[\s\p{C}\p{Zl}\p{Zp}]/gu, (one) => encodeURIComponent(one))
      expect(line).toBe(`PUT /a?b=${escaped.replace(/#.*/, "")} HTTP/1.1`)
      // Spaces and tabs around a value are no part of it.
      const value = /^x-hostile:[ \t]*(.*?)[ \t]*$/s.exec(
        headers.find((header) => header.startsWith("x-hostile:")) ?? ""
      )
      expect(value?.[1]).toBe(
        text
          .toWellFormed()
          .replace(/[\r\n]+/g, " ")
          .replace(/^[ \t]+|[ \t]+$/g, "")
      )
      expect(headers.some((header) => /^x-empty:\s*$/.test(header))).toBe(true)
      expect(body.toString("hex")).toBe(Buffer.from(text).toString("hex"))
    })
  }
)

test.skipIf(!hasCurl)(
  "a copied cURL command sends a body beyond the size of an argument, ends a HEAD, and opens no file",
  async () => {
    const { origin, received } = await startReceiver()
    const body = `${breakout}é'`.repeat(6_000)
    const commands = [
      commandOf({ url: `${origin}/big`, request_body: body }),
      commandOf({ url: `${origin}/head`, method: "HEAD" }),
      `${commandOf({ url: "file:///etc/passwd", method: "GET" })} || curl ${origin}/refused`
    ]
    await typed(commands.join("\n"))
    expect(received.map(({ line }) => line)).toEqual([
      "POST /big HTTP/1.1",
      "HEAD /head HTTP/1.1",
      "GET /refused HTTP/1.1"
    ])
    expect(received[0]?.body.equals(Buffer.from(body))).toBe(true)
  }
)

test("a text is copied with visible controls, and JSON with the same meaning", () => {
  expect(visibleText("a\u001b[201~\u0003\r\n\tb\rc\u202e")).toBe("a\\u001b[201~\\u0003\n\tb\\u000dc\\u202e")
  expect(visibleText("日本 \u{1f469}\u200d\u{1f4bb} é")).toBe("日本 \u{1f469}\u200d\u{1f4bb} é")
  const json = JSON.stringify(hostileTexts)
  expect(JSON.parse(visibleText(json))).toEqual(hostileTexts)
  expect(JSON.parse(visibleJson(hostileTexts))).toEqual(hostileTexts)
  expect(hasControls(visibleJson(hostileTexts))).toBe(false)
})

test("what is copied from a page by button or by hand has visible controls", async () => {
  const hostile = `pay ${breakout}`
  const visible = visibleText(hostile)
  const events = [
    requestAt(0, 200, { url: `https://shop.test/${breakout}`, request_body: hostile }),
    { t: 1, kind: "console", level: "error", message: hostile, stack: hostile }
  ]
  const console = await openConsole(`/recordings/${uuid(2)}`, {
    fixtures: { ...team, recordings: [{ uuid: uuid(2), title: "Hostile", log: logOf(events) }] }
  })
  const { page } = console
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole("option", { name: /shop\.test/ }).click()
  await console.button("Copy as cURL").click()
  await console.seesNotice("The command is copied.")
  expect(await clipboard()).toContain("--url 'https://shop.test/%1B[201~%03%0Dtouch%20/tmp/copied-text-ran%0D'")
  await page.getByRole("option", { name: /pay/ }).click()
  const message = page.getByRole("region", { name: "Message" })
  await message.waitFor()
  await page.getByRole("button", { name: "Copy", exact: true }).first().click()
  await console.seesNotice("Copied. Control characters in it are written as \\u001b.")
  expect(await clipboard()).toBe(visible)
  await page.evaluate(() => navigator.clipboard.writeText(""))
  await message.evaluate((element) => getSelection()?.selectAllChildren(element))
  await page.keyboard.press("ControlOrMeta+C")
  await expect.poll(clipboard).toContain("\\u001b[201~\\u0003")
  expect(hasControls((await clipboard()).replaceAll("\n", ""))).toBe(false)
})
