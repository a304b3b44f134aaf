import type { WriteStream } from "node:tty"
import { toIso } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import { wallClock } from "../../clock/VirtualClock.ts"
import type { World } from "../../World.ts"
import type { FixturesRefused } from "../fixturesFile.ts"
import { jsonLine } from "./jsonLine.ts"
import { inColour, withoutColour } from "./paint.ts"
import { line, readableLine, type Terminal } from "./readableLine.ts"

/** What a running emulator tells of itself, on standard error: for a person at a terminal, for a machine elsewhere. */
export interface Log {
  /** Tells of each entry of the world's journal as it is written. */
  readonly follow: (world: World) => void
  /** Tells what came of a changed fixtures file: the world is made anew, or its errors. */
  readonly fixturesRead: (world: World, file: string, refused: FixturesRefused | null) => void
  /** Writes what waits to be written. */
  readonly flush: () => void
}

/** Where a log goes: standard error, or what stands for it. */
export type Output = Pick<NodeJS.WriteStream, "write" | "writableLength" | "on"> &
  Partial<Pick<WriteStream, "isTTY" | "columns" | "hasColors">>

/** How much waits for a reader who is slow, or has stopped reading; what is written beyond it is lost. */
const waitingBytes = 1 << 20

/** How long a line waits for others, in wall time. */
const togetherMs = 10

export const makeLog = (output: Output): Log =>
  output.isTTY === true ? readableLog(output, writerTo(output)) : jsonLog(writerTo(output))

interface Writer {
  readonly write: (line: string) => void
  readonly flush: () => void
}

const readableLog = (output: Output, { flush, write }: Writer): Log => {
  const paint = output.hasColors?.() === true ? inColour : withoutColour
  // A terminal may change its width meanwhile.
  const terminal = (): Terminal => ({ paint, columns: output.columns || undefined })
  return {
    flush,
    follow: (world) => {
      world.onNote = (entry) => {
        const text = readableLine(world.id, entry, terminal())
        if (text !== null) write(text)
      }
    },
    fixturesRead: (world, file, refused) => {
      const [result, style, more] =
        refused === null
          ? (["loaded", "green", "the default world is made anew"] as const)
          : (["refused", "red", "the default world stays as it was"] as const)
      const said = { what: "fixtures", result, style, about: file, more: [more] }
      write(line(world.id, toIso(world.now()), said, terminal()))
      if (refused !== null) write(refused.message.replace(/^/gm, "  "))
    }
  }
}

const jsonLog = ({ flush, write }: Writer): Log => ({
  flush,
  follow: (world) => {
    world.onNote = (entry) => write(jsonLine(world.id, entry))
  },
  fixturesRead: (world, file, refused) => {
    const result = refused === null ? { status: "loaded" } : { status: "refused", errors: refused.problems }
    write(JSON.stringify({ world: world.id, at: toIso(world.now()), kind: "fixtures", file, ...result }))
  }
})

/**
 * Writes what falls together in one go: a write costs more than what is written. A reader who has gone, or does not
 * read, holds nothing up.
 */
const writerTo = (output: Output): Writer => {
  let open = true
  let lines = ""
  output.on("error", () => {
    open = false
  })
  const flush = () => {
    if (open && output.writableLength < waitingBytes) output.write(lines)
    lines = ""
  }
  const soon = Effect.sync(flush).pipe(Effect.delay(togetherMs), Effect.provideService(Clock.Clock, wallClock))
  const write = (line: string) => {
    if (lines === "") Effect.runFork(soon)
    lines += `${line}\n`
  }
  return { write, flush }
}
