import { expect, test, vi } from "vitest"
import { LogStream } from "../src/LogStream.ts"
import { CaptureError, type PageApi } from "../src/PageApi.ts"

const target = { capture_token: "token", logs_url: "/logs" }
const header = { version: 1 } as never

const message = (text: string, t = 0) => ({ t, kind: "console", level: "log", message: text })

/** A server that takes batches, unless `refuse` says otherwise; the lines of each batch that came, and those that it has. */
const server = (refuse: (lines: ReadonlyArray<string>) => Error | undefined = () => undefined) => {
  const came: Array<ReadonlyArray<string>> = []
  const taken: Array<Record<string, unknown>> = []
  const appendLog = async (_target: unknown, _name: string, body: string) => {
    const lines = body.trimEnd().split("\n")
    came.push(lines)
    const error = refuse(lines)
    if (error !== undefined) throw error
    taken.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>))
  }
  return { came, taken, api: { appendLog } as unknown as PageApi }
}

const naming = (bad: (line: string) => boolean) => (lines: ReadonlyArray<string>) => {
  const numbers = lines.flatMap((line, index) => (bad(line) ? [index + 1] : []))
  return numbers.length === 0 ? undefined : new CaptureError(400, "bad lines", numbers)
}

test("A refused batch is sent again without the refused lines, and a gap says how many are missing", async () => {
  const { api, came, taken } = server(naming((line) => line.includes("bad")))
  const stream = new LogStream({ api, target, name: "main", header })
  for (const text of ["a", "bad 1", "b", "bad 2", "c"]) stream.add(message(text, 7))
  await stream.flush()
  expect(came.length).toBe(2)
  expect(taken.map(({ seq }) => seq)).toEqual([undefined, 0, 2, 4, 1])
  expect(taken.at(-1)).toEqual({ seq: 1, t: 7, kind: "gap", reason: "refused", dropped: 2 })
  stream.add(message("d"))
  await stream.flush()
  expect(taken.at(-1)).toMatchObject({ seq: 5, message: "d" })
  expect(stream.isOpen).toBe(true)
})

test.each([400, 413])(
  "A batch that is refused with %d and names no line is left out whole, and the log goes on",
  async (status) => {
    const { api, taken } = server((lines) =>
      lines.some((line) => line.includes("bad")) ? new CaptureError(status, "no") : undefined
    )
    const stream = new LogStream({ api, target, name: "main", header: null })
    stream.add(message("bad"))
    stream.add(message("with it"))
    await stream.flush()
    stream.add(message("after"))
    await stream.flush()
    expect(taken).toMatchObject([{ kind: "gap", reason: "refused", dropped: 2 }, { message: "after" }])
  }
)

test("A gap that is refused too is not sent again", async () => {
  const { api, came } = server(naming((line) => !line.includes("version")))
  const stream = new LogStream({ api, target, name: "main", header })
  stream.add(message("a"))
  await stream.flush()
  expect(came.length).toBe(2)
  expect(stream.isOpen).toBe(true)
})

test.each([
  ["its header is refused", new CaptureError(400, "bad header", [1])],
  ["its first batch is refused without a line", new CaptureError(400, "too many streams")],
  ["the capture has ended", new CaptureError(401, "ended")]
])("A stream ends where %s", async (_, error) => {
  const { api, came } = server(() => error)
  const stream = new LogStream({ api, target, name: "main", header })
  stream.add(message("a"))
  await stream.flush()
  stream.add(message("b"))
  await stream.flush()
  expect([came.length, stream.isOpen]).toEqual([1, false])
})

test("NUL and lone surrogates are U+FFFD on the wire, in the header and in marks too", async () => {
  const { api, came } = server()
  const stream = new LogStream({ api, target, name: "main", header: { title: "\ud83d" } as never })
  stream.add({ t: 0, kind: "mark", text: "a\0b \udca9 💩 \\u0000" })
  await stream.flush()
  expect(came).toEqual([['{"title":"\ufffd"}', '{"seq":0,"t":0,"kind":"mark","text":"a\ufffdb \ufffd 💩 \\\\u0000"}']])
})

test("An event that cannot be prepared is a gap, and costs no other event", async () => {
  const { api, taken } = server()
  const prepare = (event: Readonly<Record<string, unknown>>) => {
    if (event.message === "odd") throw new TypeError("text.includes is not a function")
    return event
  }
  const stream = new LogStream({ api, target, name: "main", header: null, prepare })
  for (const text of ["a", "odd", "b"]) stream.add(message(text, 3))
  await stream.flush()
  expect(taken).toMatchObject([
    { seq: 0, message: "a" },
    { seq: 1, t: 3, kind: "gap", reason: "unreadable", dropped: 1 },
    { seq: 2, message: "b" }
  ])
})

test("Each batch is gathered for a second, also one that came while the one before was sent", async () => {
  vi.useFakeTimers()
  vi.resetModules()
  const { LogStream: TimedStream } = await import("../src/LogStream.ts")
  const { api, came } = server()
  const stream = new TimedStream({ api, target, name: "main", header: null, gatherMs: 1_000 })
  for (let tenth = 0; tenth < 50; tenth++) {
    stream.add(message("a"))
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(came.map((lines) => lines.length)).toEqual([10, 10, 10, 10, 10])
  vi.useRealTimers()
})
