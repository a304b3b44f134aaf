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

/** An assertion with the matchers, and with them after `resolves` and `rejects`. */
type WithMatchers<Assertion, R> = Assertion & EmulatorMatchers<R> & { readonly not: EmulatorMatchers<R> }

/** Type that vitest's `expect` returns, by its first signature: Chai may add a second one. */
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
  /** Emulator of a worker, which all its tests share, and which is closed with it. Its default world is shared, too: use `world`. */
  readonly emulator: RunningEmulator
  /**
   * Options of each test's world. Set them for a file or a `describe` with `test.override({ worldOptions })`, or for a project with
   * `provide: { worldOptions }` in its vitest configuration.
   */
  readonly worldOptions: WorldOptions
  /**
   * World of the test, created with `worldOptions` and removed after the test. The test fails if the world still has a fault that answered
   * no request.
   */
  readonly world: RunningWorld
  /** User as which `tapedeck` calls. Set like `worldOptions`. Default: the first user of the fixtures. */
  readonly callerOptions: CallerOptions
  /** Client of the test's world. */
  readonly tapedeck: WorldClient
}

/** Returns a vitest `test` with a world for each test. `options` are the default of `worldOptions`. */
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

/** Ignores the error of an unknown world, because a test may have removed its world. */
const unlessGone = (error: unknown) => {
  if (!(error instanceof EmulatorError && error.status === 404)) throw error
}

/** Returns the faults that no request matched, mostly because of a wrong path. A test removes faults that it no longer needs. */
const unusedFaults = async (world: RunningWorld): Promise<ReadonlyArray<string>> => {
  const faults = await world.faults.list().catch(unlessGone)
  return (faults ?? []).flatMap(({ id, match, respond, used }) =>
    used > 0 ? [] : [`  ${id}: ${match.method ?? "any method"} ${match.path ?? "any path"}, ${JSON.stringify(respond)}`]
  )
}

/** vitest's `test` with a world for each test: `test("…", async ({ world }) => { … })`. */
export const test: TestAPI<EmulatorFixtures> = withEmulator(vitestTest)

/** Loaded worlds, one for all tests with the same options. Each test gets a fork. */
const preparedWorlds = new WeakMap<RunningEmulator, Map<string, Promise<RunningWorld>>>()

const prepared = (emulator: RunningEmulator, options: WorldOptions): Promise<RunningWorld> => {
  const worlds = preparedWorlds.get(emulator) ?? new Map<string, Promise<RunningWorld>>()
  preparedWorlds.set(emulator, worlds)
  const key = JSON.stringify(options)
  const world = worlds.get(key) ?? emulator.createWorld(options)
  worlds.set(key, world)
  return world
}
