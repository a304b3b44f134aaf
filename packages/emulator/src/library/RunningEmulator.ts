import type { PartialWorldConfig, StartDocument } from "@tapedeck/fixtures"
import type { ControlRefusal } from "../control/requests.ts"
import type { WorldView } from "../control/schemas.ts"
import { worldView } from "../control/worldView.ts"
import { defaultWorldId, type ReadFile } from "../Emulator.ts"
import type { InProcessServer } from "../serve/InProcessServer.ts"
import { type EmulatedWorld, EmulatorError, emulatedWorld } from "./EmulatedWorld.ts"

/** The start of a world. */
export interface WorldOptions {
  /** Start instant, in ISO 8601. Default: 2026-01-01T00:00:00.000Z. */
  readonly now?: string
  /** Seed of ids, tokens and secrets. Default: 1. */
  readonly seed?: number
  readonly config?: PartialWorldConfig
  /** Content of the world at its start. */
  readonly fixtures?: FixturesDocument
}

/** A start document, with the world's settings if they belong to it. */
export type FixturesDocument = StartDocument & { readonly config?: PartialWorldConfig }

/** An isolated world beside the default one. */
export interface RunningWorld extends Omit<EmulatedWorld, "fork"> {
  readonly id: string
  readonly clock: EmulatedWorld["clock"] & {
    /** Returns the present time of the world, for the `now` of a receiver that verifies webhooks. Can be called without `this`. */
    readonly now: () => Date
  }
  /** The world's base URL. Opens a socket on a free port of loopback on first use. */
  readonly url: string
  /** The URL of the world's control plane. Opens the socket as `url` does. */
  readonly control: string
  /** Tokens by e-mail address. */
  readonly tokens: Readonly<Record<string, string>>
  /** Creates a world with the present state of this one, including its clock and pending work. */
  readonly fork: (options?: { readonly id?: string }) => Promise<RunningWorld>
}

/** A world beside the default one. Its `id` is `w1`, `w2`, … by default. */
export interface NewWorld extends WorldOptions {
  readonly id?: string
}

/** An emulator in this process, and its default world. */
export interface RunningEmulator extends RunningWorld {
  /** Creates a world that shares nothing with the others. */
  readonly createWorld: (start?: NewWorld) => Promise<RunningWorld>
  /** Closes the socket, if there is one, and releases all handles. */
  readonly close: () => Promise<void>
}

/** A server of worlds, and the reader of the files that their start documents name by `path`. */
interface Host {
  readonly server: InProcessServer
  readonly readFile: ReadFile
}

/** Creates the default world. If that fails, the server is closed. */
export const runningEmulator = async (host: Host, options: WorldOptions): Promise<RunningEmulator> => {
  const { close } = host.server
  try {
    const world = await create(host, { ...options, id: defaultWorldId })
    return Object.assign(world, { createWorld: (start: NewWorld = {}) => create(host, start), close })
  } catch (error) {
    await close()
    throw error
  }
}

const create = async ({ readFile, server }: Host, start: NewWorld): Promise<RunningWorld> => {
  const created = server.emulator.create(start, readFile)
  const { world } = await server.run(created).catch((error: unknown) => {
    throw asEmulatorError(error)
  })
  // The view is not read by a request, so that the caller's first request is the world's first, as over HTTP.
  return runningWorld(server, await server.run(worldView(server.emulator, world)))
}

const runningWorld = (server: InProcessServer, { tokens, world: id }: WorldView): RunningWorld => {
  const prefix = id === defaultWorldId ? "" : `/worlds/${id}`
  const world = emulatedWorld((input, init) => server.fetch(requestBelow(server.emulator.origin, prefix, input, init)))
  const inside = server.emulator.worlds.get(id)!
  return {
    ...world,
    id,
    clock: { ...world.clock, now: () => new Date(inside.now()) },
    tokens,
    get url() {
      return `${server.originNow()}${prefix}`
    },
    get control() {
      return `${server.originNow()}${prefix}/_emulator`
    },
    fork: async (options = {}) => runningWorld(server, await world.fork(options))
  }
}

/**
 * The request at the world's address, with the headers that a connection would add: `Host`, and the length of a known body.
 * The origin of the URL is ignored.
 */
const requestBelow = (origin: string, prefix: string, input: string | URL | Request, init?: RequestInit): Request => {
  const { hash: _, pathname, search } = new URL(input instanceof Request ? input.url : input, inProcess)
  const url = `${inProcess}${pathname.startsWith(`${prefix}/`) ? "" : prefix}${pathname}${search}`
  const request = input instanceof Request ? new Request(new Request(url, input), init) : new Request(url, init)
  if (!request.headers.has("host")) request.headers.set("host", new URL(origin).host)
  const sizeBytes = sizeOf(init?.body)
  if (sizeBytes !== undefined) request.headers.set("content-length", String(sizeBytes))
  return request
}

/** The bytes of a body; undefined for a stream, or a form that is not encoded yet. */
const sizeOf = (body: RequestInit["body"]): number | undefined => {
  if (typeof body === "string") return Buffer.byteLength(body)
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return body.byteLength
  return body instanceof Blob ? body.size : undefined
}

const inProcess = "http://localhost"

const asEmulatorError = (error: unknown): unknown => {
  if (!(error instanceof Error && "problems" in error)) return error
  const { message, problems, status } = error as ControlRefusal
  return new EmulatorError(status, message, problems)
}
