import type { Socket } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import { type Emulator, pathsOf } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import { closeRawReceivers, drip, rawReceiver } from "../../support/rawReceiver.ts"
import { closeReceivers, receiver } from "../../support/receiver.ts"
import { blackbox } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Real receivers that do what they should not, and those that are not to be called (W4, W5; emulator.md, Clock). */

const head = (status: string, headers: ReadonlyArray<string> = []) =>
  [`HTTP/1.1 ${status}`, ...headers, "", ""].join("\r\n")

function* endless(piece: string) {
  while (true) yield piece
}

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Odd receivers", () => {
    afterEach(closeReceivers)
    afterEach(closeRawReceivers)

    /** One delivery to a URL, its first attempt driven, with half a second for the receiver. */
    const deliver = async (url: string, config: Record<string, unknown> = {}) => {
      const world = await emulator.start(hooked([200], { url }), { config: { real_timeout_ms: 500, ...config } })
      await world.addToFolder("f1", uuid(1))
      const moved = await world.advance({ by: "PT30S" })
      const [delivery] = await world.deliveries()
      return { world, moved, delivery, attempt: delivery?.attempts[0] }
    }
    const at = async (behave: (socket: Socket) => void, config: Record<string, unknown> = {}) =>
      deliver((await rawReceiver(behave)).url, config)

    describe("a slow answer within the real timeout is a success without virtual time", () => {
      test("if it arrives in small parts", async () => {
        const text = `${head("200 OK", ["content-length: 12"])}hello, world`
        const { attempt, moved } = await at((socket) => drip(socket, text), { real_timeout_ms: 20_000 })
        expect(moved.fired).toMatchObject([{ at: start, outcome: "success", status_code: 200 }])
        expect(attempt).toMatchObject({ duration_ms: 0, response: { body: "hello, world", truncated: false } })
      })

      test("if it is chunked", async () => {
        const text = `${head("201 Created", ["transfer-encoding: chunked"])}5\r\nhello\r\n0\r\n\r\n`
        const { attempt } = await at((socket) => drip(socket, [text.slice(0, 60), text.slice(60)]))
        expect(attempt).toMatchObject({ outcome: "success", status_code: 201, response: { body: "hello" } })
      })

      test("if it ends with the connection", async () => {
        const { attempt } = await at((socket) => socket.end(`${head("200 OK", ["connection: close"])}done`))
        expect(attempt).toMatchObject({ outcome: "success", response: { body: "done" } })
      })

      test("if it follows an interim 103", async () => {
        const { attempt } = await at((socket) =>
          socket.write(`${head("103 Early Hints", ["link: </a>"])}${head("200 OK", ["content-length: 0"])}`)
        )
        expect(attempt).toMatchObject({ outcome: "success", status_code: 200 })
      })
    })

    describe("an answer that never ends is a timeout, at 30 s of virtual time", () => {
      test.each<[string, number | null, (socket: Socket) => void]>([
        ["silence", null, () => {}],
        ["half a status line", null, (socket) => socket.write("HTTP/1.1 2")],
        ["an interim 103, and no answer", null, (socket) => socket.write(head("103 Early Hints"))],
        [
          "drips of headers",
          null,
          (socket) => {
            socket.write("HTTP/1.1 200 OK\r\n")
            drip(socket, endless("x-a: b\r\n"), 20)
          }
        ],
        ["headers, and no body", 200, (socket) => socket.write(head("200 OK", ["content-length: 5"]))],
        [
          "a body in drips",
          200,
          (socket) => {
            socket.write(head("200 OK", ["content-length: 100000"]))
            drip(socket, endless("x"), 20)
          }
        ],
        ["a failure's body in drips", 500, (socket) => drip(socket, [head("500 No", ["content-length: 9"]), "x"], 1)]
      ])("%s has the status_code %j", async (_, status_code, behave) => {
        const { attempt, moved, delivery } = await at((socket) => {
          // Even one that would end keeps its connection open.
          socket.end = () => socket
          behave(socket)
        })
        expect(moved).toMatchObject({ now: instantAfter(start, 30_000), fired: [{ at: start, outcome: "timeout" }] })
        expect(attempt).toMatchObject({ outcome: "timeout", status_code, response: null, duration_ms: 30_000 })
        expect(delivery).toMatchObject({ state: "waiting", retry: 1, next_attempt_at: instantAfter(start, 60_000) })
      })
    })

    describe("W4: a body that is too long is cut, and the status counts", () => {
      const large = "a".repeat(100_000)

      test.each([
        ["200 OK", "success"],
        ["500 No", "failure"]
      ])("%s with 10 MB is cut", async (status, outcome) => {
        const { attempt } = await at((socket) => {
          socket.write(head(status, ["content-length: 10000000"]))
          drip(
            socket,
            Array.from({ length: 100 }, () => large),
            1
          )
        })
        expect(attempt).toMatchObject({ outcome, response: { truncated: true } })
        expect(attempt?.response?.body.length).toBe(65_536)
      })

      test("a 200 with an endless body is cut", async () => {
        const { attempt } = await at((socket) => {
          socket.write(head("200 OK"))
          drip(socket, endless(large), 1)
        })
        expect(attempt).toMatchObject({ outcome: "success", response: { truncated: true } })
      })

      test("64 KiB of multibyte characters are cut between characters", async () => {
        const real = await receiver(() => ({ status: 200, body: "é".repeat(40_000) }))
        const { attempt } = await deliver(real.url)
        expect(attempt).toMatchObject({ outcome: "success", response: { truncated: true } })
        expect(attempt?.response?.body).toBe("é".repeat(32_768))
      })
    })

    describe("a connection that is closed early is a reset", () => {
      // With the status, if that was complete.
      test.each<[string, number | null, (socket: Socket) => void]>([
        ["before the answer", null, (socket) => socket.resetAndDestroy()],
        ["closed before the answer", null, (socket) => socket.end()],
        ["within the headers", null, (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le")],
        ["within the body", 200, (socket) => socket.end(`${head("200 OK", ["content-length: 100"])}half`)],
        ["within a chunk", 200, (socket) => socket.end(`${head("200 OK", ["transfer-encoding: chunked"])}ff\r\nhalf`)]
      ])("%s is a reset", async (_, status, behave) => {
        const { attempt, delivery } = await at(behave)
        expect(attempt).toMatchObject({ outcome: "reset", status_code: status, response: null, duration_ms: 0 })
        expect(attempt?.error, JSON.stringify(attempt)).toBeTruthy()
        expect(delivery).toMatchObject({ state: "waiting", retry: 1 })
      })
    })

    test.each([
      [16, "success", 200],
      [17, "reset", null]
    ])("%i interim responses before a 200 give: %s", async (interim, outcome, status_code) => {
      const text = `${head("103 Early Hints").repeat(interim)}${head("200 OK", ["content-length: 0"])}`
      const { attempt } = await at((socket) => socket.write(text), { real_timeout_ms: 20_000 })
      expect(attempt).toMatchObject({ outcome, status_code })
      expect(attempt?.error).toBe(interim > 16 ? "the receiver sent more than 16 interim (1xx) responses" : null)
    })

    test("endless interim responses end the attempt at once with reset", async () => {
      const { attempt } = await at((socket) => drip(socket, endless(head("103 Early Hints")), 1))
      expect(attempt).toMatchObject({ outcome: "reset", status_code: null, duration_ms: 0 })
    })

    test("an answer that is not HTTP is a connection error with that reason", async () => {
      const { attempt, delivery } = await at((socket) => socket.end("220 mail.test ESMTP\r\n"))
      expect(attempt).toMatchObject({ status_code: null, response: null })
      expect(["reset", "refused", "tls"], JSON.stringify(attempt)).toContain(attempt?.outcome)
      expect(attempt?.error).toBeTruthy()
      expect(delivery).toMatchObject({ state: "waiting", retry: 1 })
    })

    test("W5: a redirect is not followed, whatever its location", async () => {
      const target = await receiver(() => ({ status: 200 }))
      const real = await receiver(() => ({ status: 302, headers: { location: target.url } }))
      const { attempt } = await deliver(real.url)
      expect(attempt).toMatchObject({
        outcome: "failure",
        status_code: 302,
        response: { headers: { location: target.url } }
      })
      expect(target.received).toEqual([])
    })

    test("a receiver that does not answer changes neither the results nor the times of others", async () => {
      const silent = await receiver(() => "silence")
      const real = await receiver(() => ({ status: 200 }))
      const automations = [
        { id: "a1", folder: "f1", url: silent.url },
        { id: "a2", folder: "f1", url: real.url },
        { id: "a3", folder: "f1", url: "sink:crm" }
      ]
      const world = await emulator.start(hooked([200], {}, { automations }), { config: { real_timeout_ms: 3_000 } })
      await world.addToFolder("f1", uuid(1))
      const { fired } = await world.advance({ by: "PT1M" })
      expect(fired.map(({ at, attempt, outcome }) => [at, attempt, outcome])).toEqual([
        [start, 1, "timeout"],
        [start, 1, "success"],
        [start, 1, "success"],
        [instantAfter(start, 60_000), 2, null]
      ])
    })

    test("worlds do not wait for each other, even if one's receiver never answers", async () => {
      let reached: (value: unknown) => void = () => {}
      const hanging = new Promise((resolve) => {
        reached = resolve
      })
      const silent = await receiver(() => {
        reached(null)
        return "silence"
      })
      const [stuck, other] = [
        await emulator.start(hooked([200], { url: silent.url }), { config: { real_timeout_ms: 3_000 } }),
        await emulator.start(hooked([500]))
      ]
      await stuck.addToFolder("f1", uuid(1))
      await other.addToFolder("f1", uuid(1))
      const moving = stuck.advance({ by: 0 })
      await hanging
      expect((await other.advance({ until: "idle" })).fired).toHaveLength(6)
      expect(await stuck.clock()).toMatchObject({ in_flight: 1, now: start })
      await closeReceivers()
      expect((await moving).fired).toHaveLength(1)
    })

    describe("the guard of real receivers", () => {
      /** On every address of this machine, as a neighbour in a compose file would be. */
      const anywhere = async () => {
        const real = await receiver(() => ({ status: 200 }), "0.0.0.0")
        return { real, url: real.url.replace("127.0.0.1", "0.0.0.0") }
      }

      test.each([
        ["by name", ["0.0.0.0"]],
        ["by CIDR", ["0.0.0.0/8"]]
      ])(
        "allows an address of allow_receivers that is not on loopback, by plain HTTP too: %s",
        async (_, allow_receivers) => {
          const { real, url } = await anywhere()
          const { attempt } = await deliver(url, { allow_receivers })
          expect(attempt).toMatchObject({ outcome: "success", status_code: 200 })
          expect(real.received).toHaveLength(1)
        }
      )

      test.each([[[]], [["10.0.0.0/8", "crm.test"]]])(
        "with allow_receivers %j refuses plain HTTP and blocks https://",
        async (allow_receivers) => {
          const { real, url } = await anywhere()
          const config = { allow_receivers }
          expect(pathsOf(await emulator.create(hooked([200], { url }), { config }))).toEqual(["automations[0].url"])
          const { attempt } = await deliver(url.replace("http:", "https:"), config)
          expect(attempt).toMatchObject({ outcome: "blocked", status_code: null, response: null })
          expect(attempt?.error).toBeTruthy()
          expect(real.received).toEqual([])
        }
      )

      test.each(["http://127.0.0.2", "http://[::1]", "http://localhost"])("treats %s as loopback", async (host) => {
        const real = await receiver(() => ({ status: 200 }), host.includes("[") ? "::1" : "0.0.0.0")
        const { attempt } = await deliver(`${host}:${new URL(real.url).port}/hook`)
        expect(attempt).toMatchObject({ outcome: "success" })
      })

      test("applies to audit destinations too", async () => {
        const document = (url: string) => hooked([200], {}, { audit_destinations: [{ name: "SIEM", url }] })
        expect(pathsOf(await emulator.create(document("http://siem.example/")))).toEqual(["audit_destinations[0].url"])
        const world = await emulator.start(document("https://siem.example/"))
        await world.fetch("/api/v2/users", { token: "token-of-bob" })
        expect((await world.advance({ by: 0 })).fired).toMatchObject([{ outcome: "blocked" }])
      })

      test("makes a blocked attempt that is retried on schedule until it is permanently failed", async () => {
        const world = await emulator.start(hooked([200], { url: "https://crm.example/hook" }))
        await world.addToFolder("f1", uuid(1))
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ outcome }) => outcome)).toEqual(Array(6).fill("blocked"))
        expect(await world.deliveries()).toMatchObject([{ state: "permanently_failed" }])
      })
    })
  })
