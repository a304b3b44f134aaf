import {
  EmulatorError,
  type RunningEmulator,
  type RunningWorld,
  startEmulator,
  type WorldOptions
} from "@tapedeck/emulator"
import type { CallerOptions, WorldClient } from "@tapedeck/emulator/client"
import { expect, type TestAPI, test as vitestTest } from "vitest"
import type { EmulatorMatchers } from "./matchers/index.ts"
import * as matchers from "./matchers/index.ts"

export type { Elapsed, EmulatorMatchers, ExpectedOutcome, SignatureOptions } from "./matchers/index.ts"

// Importing this module is what gives vitest the matchers; it may stand in `setupFiles` too.
expect.extend(matchers)

// vitest 3 and 4 declare `Matchers` with one type parameter, vitest 5 with two, so one declaration cannot extend both. All of
// them give an assertion the methods of `Chai.Assertion`, as promises behind `resolves` and `rejects`.
declare global {
  namespace Chai {
    interface Assertion extends EmulatorMatchers<void> {}
  }
}

declare module "vitest" {
  interface AsymmetricMatchersContaining extends EmulatorMatchers<unknown> {}
}

/** What a test of `test` is given. */
export interface EmulatorFixtures {
  /** One emulator for all tests of a worker, closed with it. Its default world is shared: use `world`. */
  readonly emulator: RunningEmulator
  /**
   * What each test's world starts with. Set it for a file or a `describe` by `test.override({ worldOptions })`, for a
   * project by `provide: { worldOptions }` in its vitest configuration.
   */
  readonly worldOptions: WorldOptions
  /** The test's own world, which no other test sees: as `worldOptions` say, gone when the test has ended. */
  readonly world: RunningWorld
  /** As whom `tapedeck` calls; set as `worldOptions` is. Default: the first user of the fixtures. */
  readonly callerOptions: CallerOptions
  /** A client of the test's world. */
  readonly tapedeck: WorldClient
}

/** A vitest `test` of one's own, with a world for each test; `options` are what `worldOptions` is unless it is set. */
export const withEmulator = <Context extends object>(
  base: TestAPI<Context>,
  options: WorldOptions = {}
): TestAPI<Context & EmulatorFixtures> =>
  // vitest's types follow no generic context through `extend`; what comes out is what is added to what was there.
  (base as unknown as TestAPI<object>).extend<EmulatorFixtures>({
    emulator: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed
      async ({}, use) => {
        const emulator = await startEmulator()
        await use(emulator)
        await emulator.close()
      },
      { scope: "worker" }
    ],
    worldOptions: [options, { injected: true }],
    world: async ({ emulator, worldOptions }, use) => {
      const world = await (await prepared(emulator, worldOptions)).fork()
      await use(world)
      await world.remove().catch(unlessGone)
    },
    callerOptions: [{}, { injected: true }],
    tapedeck: async ({ callerOptions, world }, use) => {
      // Loaded by the tests that ask for it.
      const { worldClient } = await import("@tapedeck/emulator/client")
      await use(await worldClient(world, callerOptions))
    }
  }) as unknown as TestAPI<Context & EmulatorFixtures>

/** A test may have removed its world itself. */
const unlessGone = (error: unknown) => {
  if (!(error instanceof EmulatorError && error.status === 404)) throw error
}

/** vitest's `test` with a world for each test: `test("…", async ({ world }) => { … })`. */
export const test: TestAPI<EmulatorFixtures> = withEmulator(vitestTest)

export { expect }

/** A world is loaded once for all tests that start with the same options; each test gets a fork of it. */
const preparedWorlds = new WeakMap<RunningEmulator, Map<string, Promise<RunningWorld>>>()

const prepared = (emulator: RunningEmulator, options: WorldOptions): Promise<RunningWorld> => {
  const worlds = preparedWorlds.get(emulator) ?? new Map<string, Promise<RunningWorld>>()
  preparedWorlds.set(emulator, worlds)
  const key = JSON.stringify(options)
  const world = worlds.get(key) ?? emulator.createWorld(options)
  worlds.set(key, world)
  return world
}
