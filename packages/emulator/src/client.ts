import { type ClientOptions, Tapedeck } from "@tapedeck/client"
import {
  EmulatorError,
  type RunningEmulator,
  type RunningWorld,
  startEmulator,
  type WorldOptions
} from "@tapedeck/emulator"

/** The user as which a client calls. */
export interface CallerOptions {
  /** E-mail address of the user. Default: the first user of the fixtures. */
  readonly as?: string | undefined
  /** True calls with a session of the user instead of an access token. Some calls, such as creating tokens, require a session. Default: false. */
  readonly session?: boolean | undefined
  /** Further options of the client: retries, headers, hooks. */
  readonly client?: Omit<ClientOptions, "baseUrl" | "token" | "fetch"> | undefined
}

/** A client of one world, without a socket. */
export class WorldClient extends Tapedeck {
  /** The world of the client, with its clock, sinks and deliveries. */
  readonly world: RunningWorld

  /** @internal Created by `worldClient`. */
  constructor(world: RunningWorld, token: string, options: CallerOptions["client"]) {
    super({ ...options, baseUrl: "http://localhost", token, fetch: world.fetch })
    this.world = world
  }
}

/**
 * Creates a client of a world that runs in this process.
 *
 * @throws {EmulatorError} if `as` is not a user of the world, or the world has no users
 */
export const worldClient = async (
  world: RunningWorld,
  { as, client, session = false }: CallerOptions = {}
): Promise<WorldClient> => {
  const email = as ?? Object.keys(world.tokens)[0]
  const users = Object.keys(world.tokens).join(", ") || "none"
  if (email === undefined) throw new EmulatorError(404, "as: the world has no users; give it some in its fixtures")
  const token = session ? await world.signIn(email) : world.tokens[email]
  if (token === undefined) throw new EmulatorError(404, `as: no such user ${email}; the world's users are ${users}`)
  return new WorldClient(world, token, client)
}

/** A client with its own emulator. */
export interface EmulatorClient extends Omit<WorldClient, "world"> {
  /** The emulator's default world, and the emulator. */
  readonly world: RunningEmulator
  /** Closes the emulator. */
  readonly close: () => Promise<void>
}

/**
 * Starts an emulator in this process and returns a client of it, with the emulator's `world`.
 *
 * ```ts
 * const tapedeck = await emulatorClient({ fixtures, as: "ada@acme.test" })
 * ```
 *
 * @throws {EmulatorError} if the options or the fixtures are invalid, or `as` is not a user
 */
export const emulatorClient = async (options: WorldOptions & CallerOptions = {}): Promise<EmulatorClient> => {
  const { as, client, session, ...world } = options
  const emulator = await startEmulator(world)
  try {
    const made = await worldClient(emulator, { as, client, session })
    return Object.assign(made, { world: emulator, close: emulator.close })
  } catch (error) {
    await emulator.close()
    throw error
  }
}
