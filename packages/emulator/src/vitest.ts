import {
  EmulatorError,
  type RunningEmulator,
  type RunningWorld,
  startEmulator,
  type WorldOptions
} from "@tapedeck/emulator"
import type { CallerOptions, WorldClient } from "@tapedeck/emulator/client"
import { type ExpectStatic, type TestAPI, expect as vitestExpect, test as vitestTest } from "vitest"
import type { EmulatorMatchers } from "./matchers/index.ts"
import * as matchers from "./matchers/index.ts"

export type { Elapsed, EmulatorMatchers, ExpectedOutcome, SignatureOptions } from "./matchers/index.ts"

// Importing this module adds the matchers to vitest. It may be in `setupFiles` too.
vitestExpect.extend(matchers)

/** An assertion with the matchers, which a promise of one has behind `resolves` and `rejects`. */
type WithMatchers<Assertion, R> = Assertion & EmulatorMatchers<R> & { readonly not: EmulatorMatchers<R> }

/** What vitest's `expect` returns: by its first signature where a second one, Chai's, is known too. */
type ExpectedValue = ExpectStatic extends {
  (...args: infer _First): infer First
  (...args: infer _Last): infer Last
}
  ? unknown extends First
    ? Last
    : First
  : never

/**
 * vitest's `expect`, with the matchers. Their types are here and not on vitest's own `expect`: its declarations differ by version,
 * so that only a declaration of global names could extend all of them.
 */
export interface EmulatorExpect extends ExpectStatic, EmulatorMatchers<unknown> {
  <T>(
    actual: T,
    message?: string
  ): WithMatchers<ExpectedValue, void> & {
    readonly resolves: WithMatchers<ExpectedValue["resolves"], Promise<void>>
    readonly rejects: WithMatchers<ExpectedValue["rejects"], Promise<void>>
  }
  readonly not: ExpectStatic["not"] & EmulatorMatchers<unknown>
}

/** vitest's `expect`, with the matchers. */
export const expect = vitestExpect as EmulatorExpect

/** The fixtures of a test. */
export interface EmulatorFixtures {
  /** One emulator for all tests of a worker, closed with it. Its default world is shared: use `world`. */
  readonly emulator: RunningEmulator
  /**
   * The start of each test's world. Set it for a file or a `describe` with `test.override({ worldOptions })`, for a
   * project with `provide: { worldOptions }` in its vitest configuration.
   */
  readonly worldOptions: WorldOptions
  /**
   * The test's own world, created with `worldOptions` and removed after the test. The test fails if a fault of it is left that
   * answered no request.
   */
  readonly world: RunningWorld
  /** The user that `tapedeck` calls as; set like `worldOptions`. Default: the first user of the fixtures. */
  readonly callerOptions: CallerOptions
  /** A client of the test's world. */
  readonly tapedeck: WorldClient
}

/** Creates a vitest `test` with a world for each test. `options` are the default of `worldOptions`. */
export const withEmulator = <Context extends object>(
  base: TestAPI<Context>,
  options: WorldOptions = {}
): TestAPI<Context & EmulatorFixtures> =>
  // vitest's types follow no generic context through `extend`: the result adds the new fixtures to the existing ones.
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
      const unused = await unusedFaults(world)
      await world.remove().catch(unlessGone)
      if (unused.length > 0) throw new Error(`These faults answered no request:\n${unused.join("\n")}`)
    },
    callerOptions: [{}, { injected: true }],
    tapedeck: async ({ callerOptions, world }, use) => {
      // Loaded by the tests that use it.
      const { worldClient } = await import("@tapedeck/emulator/client")
      await use(await worldClient(world, callerOptions))
    }
  }) as unknown as TestAPI<Context & EmulatorFixtures>

/** A test may have removed its world. */
const unlessGone = (error: unknown) => {
  if (!(error instanceof EmulatorError && error.status === 404)) throw error
}

/** A fault that nothing matched is mostly a wrong path. One that a test no longer needs, it removes. */
const unusedFaults = async (world: RunningWorld): Promise<ReadonlyArray<string>> => {
  const faults = await world.faults.list().catch(unlessGone)
  return (faults ?? []).flatMap(({ id, match, respond, used }) =>
    used > 0 ? [] : [`  ${id}: ${match.method ?? "any method"} ${match.path ?? "any path"}, ${JSON.stringify(respond)}`]
  )
}

/** vitest's `test` with a world for each test: `test("…", async ({ world }) => { … })`. */
export const test: TestAPI<EmulatorFixtures> = withEmulator(vitestTest)

/** A world is loaded once for all tests with the same options. Each test gets a fork. */
const preparedWorlds = new WeakMap<RunningEmulator, Map<string, Promise<RunningWorld>>>()

const prepared = (emulator: RunningEmulator, options: WorldOptions): Promise<RunningWorld> => {
  const worlds = preparedWorlds.get(emulator) ?? new Map<string, Promise<RunningWorld>>()
  preparedWorlds.set(emulator, worlds)
  const key = JSON.stringify(options)
  const world = worlds.get(key) ?? emulator.createWorld(options)
  worlds.set(key, world)
  return world
}
