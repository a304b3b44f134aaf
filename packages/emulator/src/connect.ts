import type { EmulatedWorld, NewWorld, EmulatorError as Refusal, World as WorldView } from "@tapedeck/emulator"
import { controlCalls, emulatedWorld, EmulatorError as OwnError } from "./EmulatedWorld.ts"

/** A refused call. The class of this entry: that of `@tapedeck/emulator` comes with a whole emulator. */
export const EmulatorError: typeof Refusal = OwnError
export type EmulatorError = Refusal

/** A world of an emulator in another process: the same functions as of one in this process, over HTTP. */
export interface ConnectedWorld extends Omit<EmulatedWorld, "fork"> {
  readonly id: string
  readonly clock: EmulatedWorld["clock"] & {
    /** The world's present time, for the `now` of a receiver that verifies its webhooks. It asks the emulator. */
    readonly now: () => Promise<Date>
  }
  /** The world's base URL. */
  readonly url: string
  /** The URL of the world's control plane. */
  readonly control: string
  /** Tokens by e-mail address, as they were when it was connected. */
  readonly tokens: Readonly<Record<string, string>>
  /** Creates a world with this one's present state, clock and pending work included. */
  readonly fork: (options?: { readonly id?: string }) => Promise<ConnectedWorld>
}

/** A running emulator, and the world at its URL. */
export interface ConnectedEmulator extends ConnectedWorld {
  /** Creates a world that shares nothing with the others. Paths of videos are relative to the emulator's folder. */
  readonly createWorld: (start?: NewWorld) => Promise<ConnectedWorld>
}

/**
 * Connects to an emulator that runs in another process, at its URL or that of one of its worlds. Many test files can share it: each
 * creates a world of its own.
 *
 * @throws {EmulatorError} if the URL is not one of an emulator, or no emulator answers there
 */
export const connect = async (url: string | URL): Promise<ConnectedEmulator> => {
  const base = baseOf(url)
  const world = worldAt(base)
  const view = await world.world().catch((cause: unknown) => {
    if (cause instanceof EmulatorError) throw cause
    throw Object.assign(new EmulatorError(0, `no emulator answers at ${base}`), { cause })
  })
  const root = rootOf(base, view)
  const call = controlCalls(world.fetch)
  return {
    ...connected(root, view),
    createWorld: async (start = {}) => connected(root, await call<WorldView>("POST", "/worlds", start))
  }
}

/** The URL without what follows the path, and without the slash at its end. */
const baseOf = (url: string | URL): string => {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new EmulatorError(0, `${url}: not the URL of an emulator, such as http://127.0.0.1:4010`)
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/$/, "")}`
}

/** The address of the default world. A proxy may add a path to it. */
const rootOf = (base: string, { world: id }: WorldView): string => {
  const path = `/worlds/${id}`
  return base.endsWith(path) ? base.slice(0, -path.length) : base
}

const connected = (root: string, { tokens, world: id }: WorldView): ConnectedWorld => {
  const url = id === "default" ? root : `${root}/worlds/${id}`
  const world = worldAt(url)
  const { clock } = world
  return {
    ...world,
    id,
    clock: { ...clock, now: async () => new Date((await clock.get()).now) },
    url,
    control: `${url}/_emulator`,
    tokens,
    fork: async (options = {}) => connected(root, await world.fork(options))
  }
}

const worldAt = (base: string): EmulatedWorld => {
  const { origin, pathname } = new URL(base)
  const prefix = pathname === "/" ? "" : pathname
  return emulatedWorld((input, init) => {
    const { pathname: path, search } = new URL(input instanceof Request ? input.url : input, origin)
    const url = `${origin}${path.startsWith(`${prefix}/`) ? "" : prefix}${path}${search}`
    return input instanceof Request ? fetch(new Request(url, input), init) : fetch(url, init)
  })
}
