import { type Change, Tapedeck } from "@tapedeck/client"
import { beforeAll, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

export const targets = onStores

/** Server-sent events of what changed. On every target. */
export const suite = (target: Target): void =>
  blackbox(target, "Settings API: events", () => {
    let running: Running
    beforeAll(async () => {
      const recordings = [
        { uuid: uuid(1), title: "Ada's", user: "ada@acme.test" },
        { uuid: uuid(2), title: "Bob's", user: "bob@acme.test" }
      ]
      const folders = [{ id: "vip", name: "VIP" }]
      const automations = [{ id: "a1", folder: "vip", url: "https://10.1.2.3/hook" }]
      running = await target.start(acme({ recordings, folders, automations }))
    }, 60_000)
    const change = async (recording: string, title: string) =>
      bodyOf(
        await running.fetch(`/api/settings/recordings/${recording}`, { method: "PATCH", token: ada, json: { title } })
      )
    const open = (token: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${running.baseUrl}/api/settings/events`, { headers: { authorization: `Bearer ${token}`, ...headers } })

    /** The stream's text as far as it says this. */
    const readUntil = async (reader: ReadableStreamDefaultReader<Uint8Array>, mark: string) => {
      const decoder = new TextDecoder()
      for (let text = ""; ; ) {
        if (text.includes(mark)) return text
        const { done, value } = await reader.read()
        if (done) throw new Error(`the stream ended without ${mark}: ${text}`)
        text += decoder.decode(value)
      }
    }

    test("an admin gets every change of recordings and deliveries, and a member only those of their own recordings", async () => {
      const [admin, member] = [(await open(ada)).body!.getReader(), (await open(bob)).body!.getReader()]
      await readUntil(admin, "event: ready")
      await readUntil(member, "event: ready")
      await change(uuid(1), "Changed first")
      await change(uuid(2), "Changed last")
      const path = `/api/settings/recordings/${uuid(1)}/folder`
      bodyOf(await running.fetch(path, { method: "PUT", token: ada, json: { folder_id: "vip" } }))
      expect(await readUntil(admin, "event: delivery")).toContain(uuid(1))
      expect(await readUntil(member, uuid(2))).not.toContain(uuid(1))
      await Promise.all([admin.cancel(), member.cancel()])
    })

    test("a stream continues after Last-Event-ID, and sends reset for an unknown id", async () => {
      const first = (await open(ada)).body!.getReader()
      const ready = await readUntil(first, "event: ready")
      await first.cancel()
      await change(uuid(2), "While no client watched")
      const id = /^id: (.*)$/m.exec(ready)![1]!
      const again = (await open(ada, { "last-event-id": id })).body!.getReader()
      expect(await readUntil(again, "event: recording")).toContain(uuid(2))
      await again.cancel()
      const unknown = (await open(ada, { "last-event-id": "another-1" })).body!.getReader()
      expect(await readUntil(unknown, "event: reset")).toContain("event: ready")
      await unknown.cancel()
    })

    test("a stream ends with the reason when the caller is deactivated", async () => {
      const cyd = (await open("token-of-cyd")).body!.getReader()
      await readUntil(cyd, "event: ready")
      bodyOf(await running.fetch("/api/settings/users/13/deactivate", { method: "POST", token: ada }))
      expect(await readUntil(cyd, "event: closed")).toContain('{"reason":"access_revoked"}')
      expect((await cyd.read()).done).toBe(true)
      expect((await open("token-of-cyd")).status).toBe(401)
    })

    test("the eleventh stream of a caller is 429", async () => {
      const readers = await Promise.all(Array.from({ length: 10 }, async () => (await open(bob)).body!.getReader()))
      for (const reader of readers) await readUntil(reader, "event: ready")
      const refused = await running.fetch("/api/settings/events", { token: bob })
      expect(refusalV2(refused, 429)).toBe("You have 10 event streams open")
      for (const reader of readers) await reader.cancel()
    })

    test("a query parameter is 400, and HEAD is answered without a stream", async () => {
      expect(refusalV2(await running.fetch("/api/settings/events?x=1", { token: ada }), 400)).toMatch(/^x is not/)
      expect((await running.fetch("/api/settings/events", { method: "HEAD", token: ada })).status).toBe(200)
    })

    test("the client iterates the events", async () => {
      const client = new Tapedeck({ baseUrl: running.baseUrl, token: ada })
      const seen: Array<Change> = []
      for await (const one of client.changes()) {
        seen.push(one)
        if (one.type === "ready") await change(uuid(1), "For the client")
        if (one.type === "recording") break
      }
      expect(seen).toEqual([{ type: "ready" }, { type: "recording", uuid: uuid(1), folder_id: "vip", removed: false }])
    })
  })
