import type { PartialWorldConfig, Problem, StartDocument } from "@tapedeck/core"
import type { Advance, NewSink, SinkChange } from "./control/bodies.ts"
import type { ControlRefusal } from "./control/requests.ts"
import type { ClockView, DeliveryView, MoveView, SinkLogView, SinkView, WorldView } from "./control/schemas.ts"
import { defaultWorldId } from "./Emulator.ts"
import { makeHost } from "./Host.ts"
import { readLocalFile } from "./readLocalFile.ts"

export interface EmulatorOptions {
  /** The start instant, ISO 8601; default 2026-01-01T00:00:00.000Z. */
  readonly now?: string
  /** What ids, tokens and secrets are drawn from; default 1. */
  readonly seed?: number
  readonly config?: PartialWorldConfig
  /** What the world holds at its start. */
  readonly fixtures?: StartDocument
}

/** A call of the control plane that was refused: `status` as over HTTP, `problems` each with the path of what is wrong. */
export class EmulatorError extends Error {
  override readonly name = "EmulatorError"
  readonly status: number
  readonly problems: ReadonlyArray<Problem>
  constructor(status: number, message: string, problems: ReadonlyArray<Problem> = []) {
    super(message)
    this.status = status
    this.problems = problems
  }
}

/** An emulator in this process. */
export interface RunningEmulator {
  /** The base URL; opens a socket on a free port of loopback on first use. */
  readonly url: string
  /** The control plane's URL; opens the socket as `url` does. */
  readonly control: string
  /** Answers a request without any socket. Paths are the emulator's (`/api/v2/recordings`); an origin is ignored. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** By e-mail address: the token to send. */
  readonly tokens: Readonly<Record<string, string>>
  readonly clock: {
    readonly get: () => Promise<ClockView>
    /** Moves the clock; done when it answers, with every event that fired. */
    readonly advance: (options: typeof Advance.Encoded) => Promise<MoveView>
  }
  readonly sinks: {
    readonly create: (options: typeof NewSink.Encoded) => Promise<typeof SinkView.Type>
    readonly get: (id: string) => Promise<typeof SinkLogView.Type>
    readonly respond: (id: string, respond: (typeof SinkChange.Encoded)["respond"]) => Promise<typeof SinkLogView.Type>
  }
  readonly deliveries: (filter?: DeliveryFilter) => Promise<ReadonlyArray<DeliveryView>>
  /** Puts a recording into a folder; gives the ids of the deliveries that this made. */
  readonly addToFolder: (folder: string, recording: string) => Promise<ReadonlyArray<string>>
  /** Adds what a start document describes; gives what was made. */
  readonly fixtures: (document: StartDocument) => Promise<StartDocument>
  readonly world: () => Promise<WorldView>
  /** Back to the start document and the start instant. */
  readonly reset: () => Promise<WorldView>
  /** Closes the socket, if there is one, and leaves no handle open. */
  readonly close: () => Promise<void>
}

export interface DeliveryFilter {
  readonly state?: DeliveryView["state"]
  readonly automation?: string
  readonly destination?: string
  readonly recording?: string
}

/**
 * Starts an emulator in this process. Throws an `EmulatorError` that names everything that is wrong with the options or
 * the fixtures.
 */
export const startEmulator = async (options: EmulatorOptions = {}): Promise<RunningEmulator> => {
  const host = await makeHost({ allowHosts: [] })
  const { emulator } = host
  const start = { ...options, id: defaultWorldId }
  await host.run(emulator.create(start, readLocalFile(process.cwd()))).catch(async (error: unknown) => {
    await host.close()
    throw asEmulatorError(error)
  })

  const fetch: RunningEmulator["fetch"] = (input, init) =>
    host.fetch(input instanceof Request ? input : new Request(new URL(input, emulator.origin), init))

  const call = async <A>(method: string, path: string, body?: unknown): Promise<A> => {
    const response = await fetch(`/_emulator${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    })
    const answer = (await response.json()) as { readonly error?: string; readonly errors?: ReadonlyArray<Problem> }
    if (!response.ok) throw new EmulatorError(response.status, answer.error ?? response.statusText, answer.errors)
    return answer as A
  }

  const { tokens } = await call<WorldView>("GET", "")
  return {
    get url() {
      return host.originNow()
    },
    get control() {
      return `${host.originNow()}/_emulator`
    },
    fetch,
    tokens,
    clock: {
      get: () => call("GET", "/clock"),
      advance: (move) => call("POST", "/clock/advance", move)
    },
    sinks: {
      create: (sink) => call("POST", "/sinks", sink),
      get: (id) => call("GET", `/sinks/${encodeURIComponent(id)}`),
      respond: (id, respond) => call("PUT", `/sinks/${encodeURIComponent(id)}`, { respond })
    },
    deliveries: async (filter = {}) => {
      const query = new URLSearchParams(Object.entries(filter)).toString()
      return (await call<{ readonly deliveries: ReadonlyArray<DeliveryView> }>("GET", `/deliveries?${query}`))
        .deliveries
    },
    addToFolder: async (folder, recording) => {
      const path = `/folders/${encodeURIComponent(folder)}/recordings`
      return (await call<{ readonly deliveries: ReadonlyArray<string> }>("POST", path, { recording })).deliveries
    },
    fixtures: (document) => call("POST", "/fixtures", document),
    world: () => call("GET", ""),
    reset: () => call("POST", "/reset"),
    close: host.close
  }
}

const asEmulatorError = (error: unknown): unknown => {
  if (!(error instanceof Error && "problems" in error)) return error
  const { message, problems, status } = error as ControlRefusal
  return new EmulatorError(status, message, problems)
}
