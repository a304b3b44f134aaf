import type { RecordingUuid, TranscriptStatus } from "@tapedeck/domain"
import { type Faults, noFaults } from "./faults/Faults.ts"
import { Journal } from "./journal/Journal.ts"
import type { Sink } from "./sinks/Sinks.ts"

/** A transcript that changes with its reads: the n-th read since it was loaded is the first that shows the status. */
export interface ReadScript {
  readonly reads: number
  readonly steps: ReadonlyArray<{ readonly reads: number; readonly status: TranscriptStatus }>
}

/** What is around the service in a world, and no part of its store; as one immutable value. */
export interface Surroundings {
  readonly sinks: ReadonlyMap<string, Sink>
  /** Transcripts that change at the n-th read. */
  readonly readScripts: ReadonlyMap<RecordingUuid, ReadScript>
  readonly faults: Faults
  readonly journal: Journal
}

export const noSurroundings = (journalSize: number): Surroundings => ({
  sinks: new Map(),
  readScripts: new Map(),
  faults: noFaults,
  journal: Journal.empty(journalSize)
})
