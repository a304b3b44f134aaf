import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, uuid } from "../../support/acme.ts"
import type { Answer, Call } from "../../support/http.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** GET and HEAD /recordings/{uuid}/download (R12, R23). */

const bytes = (text: string) => ({ base64: Buffer.from(text).toString("base64") })
const ten = { original: { ...bytes("0123456789"), content_type: "video/webm" } }

const document = acme({
  recordings: [
    {
      uuid: uuid(1),
      title: "Edited",
      user: "bob@acme.test",
      video: {
        original: { ...bytes("original"), content_type: "video/quicktime" },
        processed: { ...bytes("processed"), content_type: "video/mp4" },
        edited: { ...bytes("edited"), content_type: "video/webm" }
      }
    },
    {
      uuid: uuid(2),
      video: {
        original: { ...bytes("original"), content_type: "video/quicktime" },
        processed: { ...bytes("processed"), content_type: "video/mp4" },
        edited: null
      }
    },
    {
      uuid: uuid(3),
      video: { original: { ...bytes("original"), content_type: "video/quicktime" }, processed: null, edited: null }
    },
    { uuid: uuid(4), video: { original: { ...bytes("odd"), content_type: "video/x-matroska" } } },
    { uuid: uuid(5), video: { original: { size: 300_000, content_type: "video/mp4" } } },
    { uuid: uuid(6), user: "bob@acme.test" },
    { uuid: uuid(7), video: { original: null, processed: null, edited: null } },
    { uuid: uuid(8), title: 'Käse "☕"; a=b\\ %41 日本/../x', video: ten },
    { uuid: uuid(9), title: "To be renamed", video: ten },
    { uuid: uuid(10), title: null, video: ten }
  ]
})

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "API v2: download", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const download = (n: number, call: Call = {}) =>
      running.fetch(`/api/v2/recordings/${uuid(n)}/download`, { token: ada, ...call })
    const range = (n: number, value: string, headers: Record<string, string> = {}) =>
      download(n, { headers: { range: value, ...headers } })
    const status = (answer: Answer, expected: number) => expect(answer.status, String(answer)).toBe(expected)

    describe("a complete file", () => {
      test.each([
        [1, "the edited file", "edited", "video/webm"],
        [2, "else the processed file", "processed", "video/mp4"],
        [3, "else the original upload", "original", "video/quicktime"],
        [4, "R23: of another type: application/octet-stream", "odd", "application/octet-stream"]
      ])("is served for recording %i: %s", async (n, _, content, type) => {
        const answer = await download(n)
        status(answer, 200)
        expect(answer.text).toBe(content)
        expect(answer.header("content-type"), String(answer)).toBe(type)
        expect(answer.header("content-length"), String(answer)).toBe(String(content.length))
      })

      test("has the given size and the same bytes each time if it is generated", async () => {
        const [first, second] = [await download(5), await download(5)]
        status(first, 200)
        expect(first.header("content-length")).toBe("300000")
        expect(first.body.length).toBe(300_000)
        expect(first.body.equals(second.body)).toBe(true)
      })

      test("R12: has Accept-Ranges, and an ETag that stays for a file and differs between files", async () => {
        const [first, again, other] = [await download(1), await download(1), await download(2)]
        expect(first.header("accept-ranges"), String(first)).toBe("bytes")
        expect(first.header("etag"), String(first)).toMatch(/^(W\/)?"[^"]+"$/)
        expect(again.header("etag")).toBe(first.header("etag"))
        expect(other.header("etag")).not.toBe(first.header("etag"))
      })
    })

    describe("R12: Content-Disposition", () => {
      const names = (answer: Answer) => {
        const value = answer.header("content-disposition") ?? ""
        const match = /^attachment; ?filename="((?:[^"\\]|\\.)*)"; ?filename\*=UTF-8''([^;]+)$/i.exec(value)
        expect(match, String(answer)).not.toBeNull()
        return { ascii: match?.[1] ?? "", utf8: decodeURIComponent(match?.[2] ?? "") }
      }

      test.each([1, 8, 10])(
        "names the file of recording %i with an ASCII filename and a UTF-8 filename*",
        async (n) => {
          const answer = await download(n)
          const { ascii, utf8 } = names(answer)
          expect(ascii, String(answer)).toMatch(/^[\x20-\x7e]+$/)
          expect(utf8, String(answer)).toMatch(/\S/)
          for (const name of [ascii, utf8]) expect(name, String(answer)).not.toMatch(/[/\\]/)
        }
      )

      test("contains no line breaks of a title, so that no header can be injected", async () => {
        const title = 'a"\r\nX-Injected: yes\r\n\r\nbody'
        const path = `/api/v2/recordings/${uuid(9)}`
        bodyOf(await running.fetch(path, { token: ada, method: "PATCH", json: { recording: { title } } }))
        const answer = await download(9)
        status(answer, 200)
        names(answer)
        expect(answer.header("x-injected")).toBeUndefined()
        expect(answer.text).toBe("0123456789")
      })
    })

    describe("R12: a single Range is 206", () => {
      test.each([
        ["bytes=0-3", "0123", "bytes 0-3/10"],
        ["bytes=4-", "456789", "bytes 4-9/10"],
        ["bytes=-3", "789", "bytes 7-9/10"],
        ["bytes=9-9", "9", "bytes 9-9/10"],
        ["bytes=5-999", "56789", "bytes 5-9/10"],
        ["bytes=-999", "0123456789", "bytes 0-9/10"],
        ["bytes=0-", "0123456789", "bytes 0-9/10"]
      ])("%s returns the part", async (value, content, contentRange) => {
        const answer = await range(8, value)
        status(answer, 206)
        expect(answer.text).toBe(content)
        expect(answer.header("content-range")).toBe(contentRange)
        expect(answer.header("content-length")).toBe(String(content.length))
        expect(answer.header("content-type")).toBe("video/webm")
        expect(answer.header("etag")).toBe((await download(8)).header("etag"))
      })

      test("ranges of a large file add up to the whole", async () => {
        const whole = (await download(5)).body
        const pieces = await Promise.all(
          ["bytes=0-99999", "bytes=100000-299998", "bytes=-1"].map(async (value) => (await range(5, value)).body)
        )
        expect(Buffer.concat(pieces).equals(whole)).toBe(true)
      })

      test.each(["bytes=10-", "bytes=10-12", "bytes=999-", "bytes=-0"])("%s is 416", async (value) => {
        const answer = await range(8, value)
        refusalV2(answer, 416)
        expect(answer.header("content-range"), String(answer)).toBe("bytes */10")
      })

      // RFC 9110, 14.2: what is not a valid byte range is ignored; so are several, which R12 does not offer.
      test.each(["bytes=3-1", "bytes=abc", "items=0-1", "bytes=", "bytes=-", "bytes=0-1,4-5"])(
        "%s is ignored: 200 with the whole file",
        async (value) => {
          const answer = await range(8, value)
          status(answer, 200)
          expect(answer.text).toBe("0123456789")
        }
      )

      // RFC 9110, 13.1.5.
      test("If-Range returns the range if the ETag is current, else the whole file", async () => {
        const etag = (await download(8)).header("etag") ?? ""
        status(await range(8, "bytes=0-3", { "if-range": etag }), 206)
        const changed = await range(8, "bytes=0-3", { "if-range": '"another"' })
        status(changed, 200)
        expect(changed.text).toBe("0123456789")
      })
    })

    // RFC 9110, 13.1.2: who sends an ETag evaluates it.
    test("If-None-Match with the ETag is 304 without a body, and 200 with another ETag", async () => {
      const etag = (await download(8)).header("etag") ?? ""
      for (const value of [etag, `"another", ${etag}`, "*"]) {
        const answer = await download(8, { headers: { "if-none-match": value } })
        status(answer, 304)
        expect(answer.body.length).toBe(0)
        expect(answer.header("etag")).toBe(etag)
      }
      status(await download(8, { headers: { "if-none-match": '"another"' } }), 200)
    })

    describe("R12: HEAD", () => {
      test("has the headers of GET and no body", async () => {
        const [head, get] = [await download(8, { method: "HEAD" }), await download(8)]
        status(head, 200)
        expect(head.body.length).toBe(0)
        for (const name of ["content-type", "content-length", "content-disposition", "etag", "accept-ranges"]) {
          expect(head.header(name), `${name}\n${head}`).toBe(get.header(name))
        }
      })

      test("has the refusals of GET", async () => {
        status(await download(6, { method: "HEAD" }), 409)
        status(await download(99, { method: "HEAD" }), 404)
        status(await running.fetch(`/api/v2/recordings/${uuid(8)}/download`, { method: "HEAD" }), 401)
      })
    })

    test("a recording without a file is 409", async () => {
      refusalV2(await download(6), 409)
      refusalV2(await download(7), 409)
      refusalV2(await range(6, "bytes=0-1"), 409)
    })

    test("a member can download their own recording, and gets 404 for another's (R4)", async () => {
      status(await download(1, { token: bob }), 200)
      refusalV2(await download(1, { token: cyd }), 404)
      refusalV2(await download(6, { token: cyd }), 404)
    })
  })
