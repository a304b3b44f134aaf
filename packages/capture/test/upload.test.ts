import "fake-indexeddb/auto"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { CaptureApi } from "../src/CaptureApi.ts"
import { Spool, SpoolError, type SpooledPart, sizeOf } from "../src/Spool.ts"
import { Upload } from "../src/Upload.ts"
import { TusServer } from "./tusServer.ts"

let databases = 0
const freshSpool = async () => {
  databases += 1
  const name = `spool-${databases}`
  const spool = await Spool.open(name)
  onTestFinished(() => spool.close())
  return { name, spool }
}

const begun = (captureId: string, part = 0): SpooledPart => ({
  ...{ captureId, part, mimeType: "video/webm", sizes: [], durationMs: 0, isEnded: false }
})

/** Adds texts as chunks; the part that names them. */
const spooled = async (spool: Spool, part: SpooledPart, ...texts: ReadonlyArray<string>): Promise<SpooledPart> => {
  let now = part
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text)
    now = { ...now, sizes: [...now.sizes, bytes.length] }
    await spool.addChunk(now, bytes.buffer)
  }
  return now
}

const ended = async (spool: Spool, part: SpooledPart): Promise<SpooledPart> => {
  const now = { ...part, isEnded: true }
  await spool.savePart(now)
  return now
}

const uploadOf = (spool: Spool, part: SpooledPart) =>
  new Upload({
    ...{ api: new CaptureApi(""), spool, part, videoUrl: "/video", token: "secret" },
    onChange: () => {}
  })

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Lets every wait of the upload pass until it ends. */
const untilEnded = async (upload: Upload) => {
  let isOver = false
  const over = upload.ended.then(
    () => {
      isOver = true
      return null
    },
    (error: unknown) => {
      isOver = true
      return error
    }
  )
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  return over
}

describe("The spool", () => {
  test("returns the bytes from any offset, in whole chunks up to a size", async () => {
    const { spool } = await freshSpool()
    const part = await spooled(spool, begun("a"), "one", "three", "", "seven")
    const text = async (offset: number, maxBytes: number) => (await spool.read(part, offset, maxBytes)).text()
    expect(await text(0, 100)).toBe("onethreeseven")
    expect(await text(1, 2)).toBe("ne")
    expect(await text(3, 9)).toBe("three")
    expect(await text(7, 100)).toBe("eseven")
    expect(await text(13, 100)).toBe("")
    expect(await (await spool.whole(part)).text()).toBe("onethreeseven")
  })

  test("has the bytes that were added before a crash, by the page that began it", async () => {
    const { name, spool } = await freshSpool()
    const capture = { id: "a", origin: "/c/link", begun: {} as never, link: {} as never, startedAt: 1 }
    await spool.addCapture(capture)
    await spool.addCapture({ ...capture, id: "b", origin: "/c/other" })
    const part = await spooled(spool, begun("a"), "one", "two")
    await spooled(spool, begun("b"), "other")
    const again = await Spool.open(name)
    onTestFinished(() => again.close())
    expect(await again.captures("/c/link")).toEqual([capture])
    expect(await again.parts("a")).toEqual([part])
    await again.remove("a")
    expect(await again.captures("/c/link")).toEqual([])
    expect(await again.parts("a")).toEqual([])
    expect(await (await again.read(part, 0, 10)).text()).toBe("")
    expect(sizeOf((await again.parts("b"))[0]!)).toBe(5)
  })
})

test("The spool is opened again if the browser has closed its database", async () => {
  const { spool } = await freshSpool()
  const part = await spooled(spool, begun("a"), "one")
  // As the browser closes it when its disk is full.
  spool.close()
  const more = await spooled(spool, part, "two")
  spool.close()
  expect(await (await spool.whole(more)).text()).toBe("onetwo")
})

describe("An upload", () => {
  test("sends bytes while the part grows, and the length at its end", async () => {
    const server = new TusServer()
    const { spool } = await freshSpool()
    const first = await spooled(spool, begun("a", 2), "one")
    const upload = uploadOf(spool, first)
    await vi.waitFor(() => expect(server.texts).toEqual(["one"]))
    expect([...server.uploads.values()][0]!.length).toBe(null)
    const whole = await ended(spool, await spooled(spool, first, "two"))
    upload.update(whole)
    expect(await untilEnded(upload)).toBe(null)
    expect(server.texts).toEqual(["onetwo"])
    const { length, metadata } = [...server.uploads.values()][0]!
    expect(length).toBe(6)
    expect(metadata).toBe(`filetype ${btoa("video/webm")},part ${btoa("2")}`)
    expect(server.got.map(({ headers }) => headers.get("authorization"))).toEqual(
      server.got.map(() => "Capture secret")
    )
  })

  test.each(["before", "after"] as const)(
    "loses and repeats nothing if every third request fails %s its effect",
    async (when) => {
      const server = new TusServer()
      server.fail = ({ method }, number) => (method !== "POST" && number % 3 === 2 ? when : undefined)
      const { spool } = await freshSpool()
      const part = await ended(spool, await spooled(spool, begun("a"), "one", "two", "three"))
      expect(await untilEnded(uploadOf(spool, part))).toBe(null)
      expect(server.texts).toEqual(["onetwothree"])
    }
  )

  test("continues after a reload at the server's offset, not at its beginning", async () => {
    const server = new TusServer()
    const { name, spool } = await freshSpool()
    const part = await spooled(spool, begun("a"), "one")
    const before = uploadOf(spool, part)
    await vi.waitFor(() => expect(server.texts).toEqual(["one"]))
    before.cancel()
    const again = await Spool.open(name)
    onTestFinished(() => again.close())
    const whole = await ended(again, await spooled(again, part, "two"))
    server.got.length = 0
    expect(await untilEnded(uploadOf(again, whole))).toBe(null)
    expect(server.got.map(({ method }) => method)).toEqual(["HEAD", "PATCH"])
    expect(server.texts).toEqual(["onetwo"])
  })

  test.each([401, 403, 404, 410, 413])("ends if the server refuses it with %i", async (status) => {
    const server = new TusServer()
    server.fail = ({ method }) => (method === "PATCH" ? status : undefined)
    const { spool } = await freshSpool()
    const part = await ended(spool, await spooled(spool, begun("a"), "one"))
    expect(await untilEnded(uploadOf(spool, part))).toMatchObject({ name: "CaptureError", status })
  })

  test("continues when the spool can be read again", async () => {
    const server = new TusServer()
    const { spool } = await freshSpool()
    const part = await ended(spool, await spooled(spool, begun("a"), "one"))
    vi.spyOn(spool, "read").mockRejectedValueOnce(new SpoolError(new Error("no room")))
    expect(await untilEnded(uploadOf(spool, part))).toBe(null)
    expect(server.texts).toEqual(["one"])
  })

  test.each([408, 429, 500, 503])("continues after a temporary %i", async (status) => {
    const server = new TusServer()
    let failures = 3
    server.fail = ({ method }) => (method === "PATCH" && failures-- > 0 ? status : undefined)
    const { spool } = await freshSpool()
    const part = await ended(spool, await spooled(spool, begun("a"), "one"))
    expect(await untilEnded(uploadOf(spool, part))).toBe(null)
    expect(server.texts).toEqual(["one"])
  })
})
