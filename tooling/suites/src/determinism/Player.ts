import { type RunningEmulator, startEmulator, type WorldOptions } from "@tapedeck/emulator"
import { call } from "../support/http.ts"
import { emulatorMain, startProcess, temporaryFolder } from "../support/process.ts"
import type { WorldObject } from "../support/shapes.ts"

/** A request, below the emulator's address. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What came of an operation; status 0 is a connection that was dropped. */
export interface Played {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What the emulator of a sequence starts with. */
export interface Start {
  readonly seed: number
  readonly now: string
  readonly fixtures: Readonly<Record<string, unknown>>
}

/** An emulator that operations are played on. */
export interface Player {
  readonly name: string
  play(operation: Operation): Promise<Played>
  close(): Promise<void>
}

const dropped: Played = { status: 0, headers: {}, text: "" }

const ofTransport = new Set(["connection", "keep-alive", "transfer-encoding"])

/** The emulator's own address: in a world's object, and in the description of its control plane. */
const ownAddress =
  /(?<="(?:base_url|control_url)":")[^"]*|(?<="url":")[^"]*(?=","description":"The same world, by its absolute address\.")/g

/** Only the emulator's own address, and so the length of a body that holds it, may differ. */
const played = (status: number, headers: Iterable<readonly [string, string]>, bytes: Uint8Array): Played => {
  const text = Buffer.from(bytes).toString("latin1")
  const withoutAddress = text.replaceAll(ownAddress, "…")
  return {
    status,
    headers: Object.fromEntries(
      [...headers]
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .filter(([name]) => !(ofTransport.has(name) || (withoutAddress !== text && name === "content-length")))
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
    ),
    text: withoutAddress
  }
}

/** In this process, without a socket. */
export const inProcess = async (start: Start): Promise<Player> => {
  const emulator: RunningEmulator = await startEmulator(start as WorldOptions)
  return {
    name: "in process",
    play: async ({ method, path, headers, body }) => {
      const answer = await emulator
        .fetch(path, { method, headers, ...(body === undefined ? {} : { body }) })
        .catch((error: unknown) => {
          if (error instanceof TypeError) return null
          throw error
        })
      if (answer === null) return dropped
      return played(answer.status, answer.headers, new Uint8Array(await answer.arrayBuffer()))
    },
    close: () => emulator.close()
  }
}

/** Over HTTP, in a process of its own. */
export const overHttp = async (start: Start): Promise<Player> => {
  const folder = await temporaryFolder()
  const file = await folder.write("fixtures.json", JSON.stringify(start.fixtures))
  const args = ["--port", "0", "--json", "--seed", String(start.seed), "--now", start.now, "--fixtures", file]
  const { ready, stop } = await startProcess<WorldObject>(emulatorMain, args).finally(() => folder.remove())
  return {
    name: "over HTTP, in another process",
    play: ({ method, path, headers, body }) =>
      call(ready.base_url, path, { method, headers, body }).then(
        (answer) =>
          played(
            answer.status,
            Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const),
            answer.body
          ),
        () => dropped
      ),
    close: stop
  }
}
