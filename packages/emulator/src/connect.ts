import type { EmulatedWorld, NewWorld, EmulatorError as Refusal, World as WorldView } from "@tapedeck/emulator"
import { controlCalls, emulatedWorld, EmulatorError as OwnError } from "./library/EmulatedWorld.ts"

/** A refused call. This entry point has its own class, because that of `@tapedeck/emulator` would load a whole emulator. */
export const EmulatorError: typeof Refusal = OwnError
export type EmulatorError = Refusal

/** A world of an emulator in another process, with the same functions as a world in this process, over HTTP. */
export interface ConnectedWorld extends Omit<EmulatedWorld, "fork"> {
  readonly id: string
  readonly clock: EmulatedWorld["clock"] & {
    /** Requests the present time of the world from the emulator, for the `now` of a receiver that verifies webhooks. */
    readonly now: () => Promise<Date>
  }
  /** The world's base URL. */
  readonly url: string
  /** The URL of the world's control plane. */
  readonly control: string
  /** Access tokens by e-mail address, at the time of the connection. */
  readonly tokens: Readonly<Record<string, string>>
  /** Creates a world with the present state of this one, including its clock and pending work. */
  readonly fork: (options?: { readonly id?: string }) => Promise<ConnectedWorld>
}

/** A running emulator, and the world at its URL. */
export interface ConnectedEmulator extends ConnectedWorld {
  /** Creates a world that shares nothing with the others. Paths of videos are relative to the emulator's folder. */
  readonly createWorld: (start?: NewWorld) => Promise<ConnectedWorld>
}

/**
 * Connects to an emulator in another process, at its URL or at that of one of its worlds. Many test files can share it: each creates its
 * own world.
 *
 * @throws {EmulatorError} if the URL is not that of an emulator, or no emulator answers
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

/** Returns the URL without query and fragment, and without the slash at the end of its path. */
const baseOf = (url: string | URL): string => {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new EmulatorError(0, `${url}: not the URL of an emulator, such as http://127.0.0.1:4010`)
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/$/, "")}`
}

/** Returns the address of the default world. A proxy may add a path to it. */
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
