import { flushCompileCache } from "node:module"
import { dirname, resolve } from "node:path"
import { parseIso } from "@tapedeck/domain"
import { Effect, Schedule } from "effect"
import { ControlRefusal } from "../control/requests.ts"
import { worldView } from "../control/worldView.ts"
import { defaultWorldId } from "../Emulator.ts"
import { type EmulatorServer, makeEmulatorServer } from "../serve/EmulatorServer.ts"
import { readLocalFile } from "../world/readLocalFile.ts"
import type { World } from "../world/World.ts"
import { banner } from "./banner.ts"
import { type CommandLine, exitCodes, UsageError } from "./commandLine.ts"
import { FixturesRefused, locate, parseFixtures, readFixturesText } from "./fixturesFile.ts"
import { type Log, makeLog } from "./log/Log.ts"
import { stopOnSignals } from "./signals.ts"
import type { Watched } from "./watchFixtures.ts"

/**
 * Runs the emulator until a signal stops it. Fails before it listens: with a `UsageError`, a `FixturesRefused`, or the error of an
 * address that is not available.
 */
export const run = async (command: CommandLine): Promise<void> => {
  const { onStop } = stopOnSignals(exitCodes.stopped)
  // A caller that was killed can send no signal, but its end of the pipe closes.
  if (command.untilStdinEnds) process.stdin.once("close", () => process.emit("SIGTERM", "SIGTERM")).resume()
  const watched = command.watch ? (await import("./watchFixtures.ts")).watchFixtures(command.fixtures!) : null
  const start = await startOf(command, command.fixtures === undefined ? "" : readFixturesText(command.fixtures))
  const log = makeLog(process.stderr)
  const server = await makeEmulatorServer({
    allowHosts: command.allowHosts,
    folder: folderOf(command),
    ...(!command.quiet && { onWorld: log.follow })
  })
  const readFile = readLocalFile(folderOf(command))
  const { world } = await orRefused(start, server.run(server.emulator.create(start.body, readFile)))
  await server.listen(command)
  if (command.clock === "running") server.emulator.runClock(world, 1)
  watched?.onChange(remaking(command, { server, log, start, watched, world }))
  const view = await server.run(worldView(server.emulator, world))
  // Flushed now and not at the end of the process, because many processes are killed.
  flushCompileCache()
  process.stdout.on("error", () => {}) // The reader is gone.
  process.stdout.write(command.json ? `${JSON.stringify(view)}\n` : banner(view, command.clock))
  onStop(async () => {
    watched?.end()
    await server.close()
    log.flush()
  })
}

/** The body that creates the default world, and its fixtures file. */
interface Start {
  readonly body: unknown
  readonly file?: { readonly name: string; readonly text: string }
}

const startOf = async (command: CommandLine, text: string): Promise<Start> => {
  const { demo, fixtures, now, port, seed } = command
  if (now !== undefined && parseIso(now) === undefined) {
    throw new UsageError(`--now: must be an ISO 8601 instant, such as 2026-01-01T00:00:00.000Z, not ${now}`)
  }
  const settings = { id: defaultWorldId, ...(now !== undefined && { now }), ...(seed !== undefined && { seed }) }
  if (demo) {
    const { demoDocument } = await import("@tapedeck/fixtures/demo")
    // The demo's links need the port. On a free port they do not depend on it.
    const config = port === 0 ? {} : { public_url: `http://127.0.0.1:${port}` }
    return { body: { ...settings, fixtures: demoDocument, config } }
  }
  if (fixtures === undefined) return { body: settings }
  return { body: { ...settings, fixtures: await parseFixtures(fixtures, text) }, file: { name: fixtures, text } }
}

const folderOf = ({ fixtures }: CommandLine): string =>
  fixtures === undefined ? process.cwd() : dirname(resolve(fixtures))

/** Adds positions in the file to the emulator's refusal of a start. */
const orRefused = async <A>({ file }: Start, made: Promise<A>): Promise<A> => {
  try {
    return await made
  } catch (error) {
    if (!(error instanceof ControlRefusal) || file === undefined) throw error
    throw new FixturesRefused(file.name, await locate(file.text, error.problems))
  }
}

interface Running {
  readonly server: EmulatorServer
  readonly log: Log
  readonly start: Start
  readonly watched: Watched
  readonly world: World
}

/** Retries while another move is in progress. */
const whenStill = {
  while: ({ _tag }: { readonly _tag: string }) => _tag === "MoveInProgress",
  schedule: Schedule.spaced(50)
}

/** `--watch`: recreates the default world when the fixtures file changes, or logs its errors. */
const remaking = (command: CommandLine, { server, log, start, watched, world }: Running) => {
  const { name, text } = start.file!
  let seen = text
  const remake = async () => {
    const text = await watched.text()
    if (text === seen) return
    seen = text
    const next = await startOf(command, text)
    const remade = server.emulator.remake(world, next.body, readLocalFile(folderOf(command)))
    await orRefused(next, server.run(Effect.retry(remade, whenStill)))
    log.fixturesRead(world, name, null)
  }
  return () =>
    remake().catch((error: unknown) => {
      if (!(error instanceof FixturesRefused)) throw error
      log.fixturesRead(world, name, error)
    })
}
