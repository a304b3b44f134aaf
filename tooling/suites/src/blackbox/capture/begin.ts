import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { acme, ada } from "../../support/acme.ts"
import { type Begun, below, json } from "../../support/captures.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

export const targets = onStores

/** The start of a capture: its key, its link's customer, its first bytes. */
export const suite = (target: Target): void =>
  blackbox(target, "captures that begin", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({}))
    })
    afterAll(() => running.close())

    const made = async <T>(path: string, input: object) =>
      bodyOf<T>(
        await running.fetch(`/api/settings${path}`, {
          method: "POST",
          token: ada,
          headers: json,
          body: JSON.stringify(input)
        }),
        201
      )
    const makeLink = async (input: object = {}) => {
      const { id, url } = await made<{ id: string; url: string }>("/capture-links", input)
      const settings = async <T>(method: string) =>
        bodyOf<T>(await running.fetch(`/api/settings/capture-links/${id}`, { method, token: ada }))
      return {
        view: async () =>
          bodyOf<{ has_customer: boolean }>(
            await running.fetch(`/api/capture/links/${url.slice(url.lastIndexOf("/") + 1)}`)
          ),
        path: `/api/capture/links/${url.slice(url.lastIndexOf("/") + 1)}/captures`,
        state: () => settings<{ uses: number; state: string }>("GET"),
        revoke: () => running.fetch(`/api/settings/capture-links/${id}`, { method: "DELETE", token: ada })
      }
    }
    const makeSite = async () => {
      const { key } = await made<{ key: string }>("/sites", {
        name: randomUUID(),
        origins: ["https://shop.example.com"]
      })
      return { path: `/api/capture/sites/${key}/captures` }
    }
    const send = (path: string, key: string) =>
      running.fetch(path, { method: "POST", headers: { "idempotency-key": key } })
    const begin = async (path: string, key: string) => bodyOf<Begun>(await send(path, key), 201)
    const opens = async ({ capture_token: token, id }: Begun) => {
      const headers = { authorization: `Capture ${token}` }
      return (await running.fetch(below(running, `/captures/${id}/pairing`), { method: "POST", headers })).status
    }
    const end = async ({ capture_token: token, finish_url, id }: Begun, as: "finished" | "discarded") => {
      const call = as === "finished" ? (["POST", finish_url] as const) : (["DELETE", `/captures/${id}`] as const)
      const headers = { authorization: `Capture ${token}` }
      const { status } = await running.fetch(below(running, call[1]), { method: call[0], headers })
      expect(status).toBe(as === "finished" ? 200 : 204)
    }

    test.each([
      [{ email: "eve@example.com" }, "eve@example.com"],
      [undefined, "mallory@example.com"]
    ])("keep the customer of their link (%j), and take %s at the end", async (customer, expected) => {
      const { path, view } = await makeLink(customer && { customer })
      expect((await view()).has_customer).toBe(customer !== undefined)
      const begun = await begin(path, randomUUID())
      const recorded = async () =>
        bodyOf(await running.fetch(`/api/settings/recordings/${begun.recording_uuid}`, { token: ada }))
      expect(await recorded()).toMatchObject({ capture_state: "open" })
      const answer = await running.fetch(below(running, begun.finish_url), {
        method: "POST",
        headers: { ...json, authorization: `Capture ${begun.capture_token}` },
        body: JSON.stringify({ customer: { email: "mallory@example.com" } })
      })
      bodyOf(answer)
      expect(await recorded()).toMatchObject({ customer: { email: expected }, capture_state: null })
    })

    test("refuse a file that is no video, whatever its length, and use nothing of their link then", async () => {
      const { path, state } = await makeLink()
      const begun = await begin(path, randomUUID())
      const authorization = `Capture ${begun.capture_token}`
      for (const [part, length] of [17, 5_000].entries()) {
        const metadata = `filetype ${btoa("text/plain")},part ${btoa(String(part))}`
        const tus = { authorization, "tus-resumable": "1.0.0" }
        const made = await running.fetch(below(running, begun.video_url), {
          method: "POST",
          headers: { ...tus, "upload-defer-length": "1", "upload-metadata": metadata }
        })
        const answer = await running.fetch(below(running, made.header("location")!), {
          method: "PATCH",
          headers: {
            ...tus,
            ...{ "content-type": "application/offset+octet-stream", "upload-offset": "0" },
            "upload-length": String(length)
          },
          body: Buffer.from("dear sir or madam".repeat(300).slice(0, length))
        })
        expect(refusalV2(answer, 422)).toContain("no video")
      }
      await end(begun, "discarded")
      expect(await state()).toMatchObject({ uses: 0, state: "active" })
    })

    test.each([
      ["a link of one use", () => makeLink()],
      ["a site", makeSite]
    ])("get the same capture at a repeat by %s, with another token; both tokens open it", async (_, make) => {
      const { path } = await make()
      const key = randomUUID()
      const first = await begin(path, key)
      const answer = await send(path, `"${key}"`)
      expect(answer.header("idempotency-replayed")).toBe("true")
      const second = bodyOf<Begun>(answer, 201)
      expect({ ...second, capture_token: first.capture_token }).toEqual(first)
      expect(second.capture_token).not.toBe(first.capture_token)
      expect([await opens(first), await opens(second)]).toEqual([201, 201])
    })

    const fourAtATime = async (path: string, key: string) => {
      const all = await Promise.all(Array.from({ length: 4 }, () => begin(path, key)))
      expect(new Set(all.map(({ id }) => id)).size).toBe(1)
      return all
    }

    test("begin once on a site, also four at a time", async () => {
      const { path } = await makeSite()
      await fourAtATime(path, randomUUID())
    })

    test("use their link once, also four at a time, and when it was revoked meanwhile", async () => {
      const { path, revoke, state } = await makeLink()
      const key = randomUUID()
      const all = await fourAtATime(path, key)
      expect(await state()).toMatchObject({ uses: 1, state: "used_up" })
      const usedUp = await send(path, randomUUID())
      refusalV2(usedUp, 410)
      // Browsers cache other answers of 410.
      expect(usedUp.header("cache-control")).toBe("no-store")
      await revoke()
      expect((await begin(path, key)).id).toBe(all[0]!.id)
      refusalV2(await send(path, randomUUID()), 404)
    })

    test("begin another one when the first was discarded or is finished, if the link has a use left", async () => {
      for (const ending of ["discarded", "finished"] as const) {
        const [one, many] = [await makeLink(), await makeLink({ max_uses: null })]
        const key = randomUUID()
        const [first, other] = [await begin(one.path, key), await begin(many.path, key)]
        expect(first.id).not.toBe(other.id)
        await end(first, ending)
        await end(other, ending)
        expect((await begin(many.path, key)).id).not.toBe(other.id)
        if (ending === "discarded") expect((await begin(one.path, key)).id).not.toBe(first.id)
        else refusalV2(await send(one.path, key), 410)
      }
    })

    test.each([
      ["of 21 characters", "x".repeat(21), 400],
      ["of 22 characters", "x".repeat(22), 201],
      ["of 255 characters", "x".repeat(255), 201],
      ["of 256 characters", "x".repeat(256), 400],
      ["with a space", `${randomUUID()} x`, 400]
    ])("with a key %s are answered", async (_, key, status) => {
      const [link, site] = [await makeLink(), await makeSite()]
      for (const { path } of [link, site]) {
        const answer = await send(path, key)
        expect(answer.status).toBe(status)
        if (status === 400) expect(refusalV2(answer, 400)).toContain("Idempotency-Key must have 22 to 255")
      }
    })

    test("have a key that is no token", async () => {
      const { path } = await makeLink()
      const key = randomUUID()
      const begun = await begin(path, key)
      expect(await opens({ ...begun, capture_token: key })).toBe(401)
    })
  })
