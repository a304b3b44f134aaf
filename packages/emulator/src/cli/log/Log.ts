import type { WriteStream } from "node:tty"
import { toIso } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import { wallClock } from "../../clock/VirtualClock.ts"
import type { World } from "../../world/World.ts"
import type { FixturesRefused } from "../fixturesFile.ts"
import { jsonLine } from "./jsonLine.ts"
import { inColour, withoutColour } from "./paint.ts"
import { line, readableLine, type Terminal } from "./readableLine.ts"

/** The log of a running emulator on standard error: readable lines on a terminal, else JSON. */
export interface Log {
  /** Logs each entry of the world's journal as it is written. */
  readonly follow: (world: World) => void
  /** Logs the result of a changed fixtures file: the world was recreated, or the errors. */
  readonly fixturesRead: (world: World, file: string, refused: FixturesRefused | null) => void
  /** Writes buffered lines. */
  readonly flush: () => void
}

/** The stream of the log: standard error, or a substitute. */
export type Output = Pick<NodeJS.WriteStream, "write" | "writableLength" | "on"> &
  Partial<Pick<WriteStream, "isTTY" | "columns" | "hasColors">>

/** Maximum size of the buffer for a slow reader, in bytes. Further lines are lost. */
const waitingBytes = 1 << 20

/** Delay in which lines are collected, in wall time. */
const togetherMs = 10

export const makeLog = (output: Output): Log =>
  output.isTTY === true ? readableLog(output, writerTo(output)) : jsonLog(writerTo(output))

interface Writer {
  readonly write: (line: string) => void
  readonly flush: () => void
}

const readableLog = (output: Output, { flush, write }: Writer): Log => {
  const paint = output.hasColors?.() === true ? inColour : withoutColour
  // A terminal may change its width.
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
          ? (["loaded", "green", "default world recreated"] as const)
          : (["refused", "red", "default world unchanged"] as const)
      const entry = { what: "fixtures", result, style, about: file, more: [more] }
      write(line(world.id, toIso(world.now()), entry, terminal()))
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
 * Writes buffered lines together, because a write costs more than its content. A reader that has closed the stream or does not read
 * delays nothing.
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
