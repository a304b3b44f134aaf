import type { Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { closeRawReceivers, drip, rawReceiver } from "../../support/rawReceiver.ts"
import { blackbox, type Target } from "../../support/target.ts"
import { type LoggedAttempt, type LoggedDelivery, Workbench } from "../../support/workbench.ts"
import type { TargetNames } from "../targets.ts"

/**
 * W4: the time limit of an attempt covers every stage, on the wall clock: at an audit destination, which can have one second.
 * Its send-test answers when the attempt has ended. On the virtual clock this is odd-receivers.ts. The cases wait at once.
 */

const head = (status: string, ...headers: ReadonlyArray<string>) =>
  `${[`HTTP/1.1 ${status}`, ...headers].join("\r\n")}\r\n`

function* endless(piece: string) {
  while (true) yield piece
}

export const targets: TargetNames = ["sqlite", "postgres"]

export const suite = (target: Target): void =>
  blackbox(target, "W4: the time limit of an attempt", () => {
    let bench: Workbench
    beforeAll(async () => {
      bench = await Workbench.of(target)
    }, 60_000)
    afterAll(closeRawReceivers)

    const attemptAt = async (url: string): Promise<LoggedAttempt> => {
      const { id } = await bench.destination({ url, timeout_seconds: 1, enabled: false })
      const { delivery } = await bench.settings.act<{ delivery: LoggedDelivery }>(
        "POST",
        `/audit-destinations/${id}/test`
      )
      expect(delivery.attempts).toHaveLength(1)
      return delivery.attempts[0]!
    }

    describe.concurrent("an attempt without a response is a timeout without a status", () => {
      test.each<[string, (socket: Socket) => void]>([
        ["silence", () => {}],
        ["half a status line", (socket) => socket.write("HTTP/1.1 2")]
      ])("times out after %s", async (_, behave) => {
        const { url } = await rawReceiver(behave, bench.receiverScheme)
        expect(await attemptAt(url)).toMatchObject({ outcome: "timeout", status_code: null, response: null })
      })

      test("times out during a TLS handshake that never ends", async () => {
        const { url } = await rawReceiver(() => {})
        expect(await attemptAt(url.replace("http:", "https:"))).toMatchObject({ outcome: "timeout", status_code: null })
      })
    })

    describe.concurrent("an attempt with an unfinished body is a timeout with the received status", () => {
      test.each<[string, number, (socket: Socket) => void]>([
        ["no body", 200, (socket) => socket.write(`${head("200 OK", "content-length: 5")}\r\n`)],
        [
          "a body in drips",
          200,
          (socket) => {
            socket.write(`${head("200 OK", "content-length: 100000")}\r\n`)
            drip(socket, endless("x"), 20)
          }
        ],
        [
          "half a chunk",
          201,
          (socket) => socket.write(`${head("201 Created", "transfer-encoding: chunked")}\r\nff\r\nx`)
        ],
        ["a failure's body", 503, (socket) => socket.write(`${head("503 Busy", "content-length: 9")}\r\nbusy`)]
      ])("times out after %s", async (_, status, behave) => {
        const { url } = await rawReceiver(behave, bench.receiverScheme)
        expect(await attemptAt(url)).toMatchObject({ outcome: "timeout", status_code: status })
      })
    })
  })
