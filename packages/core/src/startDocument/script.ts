import { decideTranscript, Instant, type TranscriptStatus, transcriptEventTo } from "@tapedeck/domain"
import { Result, Schema } from "effect"
import { durationMs } from "./duration.ts"
import type { Lenient, Path } from "./lenient.ts"
import type { Report } from "./problems.ts"
import type { ScriptStepEntry } from "./recordingSchema.ts"

/** What a document's `script` may be: steps, or one step. Where it was refused, steps or keys of them may be missing. */
type Script = Lenient<ScriptStepEntry> | ReadonlyArray<Lenient<ScriptStepEntry> | undefined>

const isList = (script: Script): script is ReadonlyArray<Lenient<ScriptStepEntry> | undefined> => Array.isArray(script)

/** The steps of a script, each with its path below `script`. */
const stepsIn = (script: Script | undefined): ReadonlyArray<readonly [Path, Lenient<ScriptStepEntry>]> => {
  if (script === undefined) return []
  return isList(script) ? script.map((step, index) => [[index], step ?? {}]) : [[[], script]]
}

/** Before its first step a scripted transcript is what lets that step happen (emulator.md, Start document). */
const statusBefore = (first: TranscriptStatus): TranscriptStatus =>
  first === "processing" ? "unavailable" : "processing"

const isInstant = Schema.is(Instant)

/** What of a script cannot happen: steps out of order, and moves that R15 does not know. */
export const checkScript = (script: Script | undefined, now: Instant, report: Report) => {
  const steps = stepsIn(script)
  checkTimes(steps, now, report)
  checkMoves(steps, report)
}

const checkTimes = (steps: ReturnType<typeof stepsIn>, now: Instant, report: Report) => {
  let lastMs = 0
  let lastReads = 0
  for (const [path, { at, reads }] of steps) {
    if (at !== undefined) {
      const ms = durationMs(at)
      if (lastReads > 0) report([...path, "at"], "steps by time come before steps by reads")
      else if (ms < lastMs) report([...path, "at"], "is earlier than the step before it")
      if (!isInstant(now + ms)) report([...path, "at"], "is past the year 9999")
      lastMs = Math.max(lastMs, ms)
    }
    if (reads !== undefined) {
      if (reads < lastReads) report([...path, "reads"], "is earlier than the step before it")
      lastReads = Math.max(reads, lastReads)
    }
  }
}

const checkMoves = (steps: ReturnType<typeof stepsIn>, report: Report) => {
  const [first] = steps
  let before = first?.[1].status === undefined ? undefined : statusBefore(first[1].status)
  for (const [path, { status }] of steps) {
    // After a step that was refused nothing is known.
    if (before !== undefined && status !== undefined) {
      const move = decideTranscript(before, transcriptEventTo(status))
      if (Result.isFailure(move)) {
        report([...path, "status"], `a transcript that is ${before} cannot become ${status} (R15)`)
      }
    }
    before = status
  }
}

/** A script that was checked: the status at once, what falls due by time, and what by reads. */
export interface PlannedScript {
  readonly status: TranscriptStatus
  readonly timed: ReadonlyArray<{ readonly at: Instant; readonly status: TranscriptStatus }>
  readonly counted: ReadonlyArray<{ readonly reads: number; readonly status: TranscriptStatus }>
}

/** Undefined for a script without steps: the same as none. */
export const planScript = (
  script: ScriptStepEntry | ReadonlyArray<ScriptStepEntry> | undefined,
  now: Instant
): PlannedScript | undefined => {
  const steps = script === undefined ? [] : [script].flat()
  const [first] = steps
  if (first === undefined) return undefined
  const timed = steps.flatMap(({ at, status }) => (at === undefined ? [] : [{ ms: durationMs(at), status }]))
  return {
    status: timed.findLast(({ ms }) => ms === 0)?.status ?? statusBefore(first.status),
    timed: timed.filter(({ ms }) => ms > 0).map(({ ms, status }) => ({ at: Instant.make(now + ms), status })),
    counted: steps.flatMap(({ reads, status }) => (reads === undefined ? [] : [{ reads, status }]))
  }
}
