import type { RecordingUuid, TranscriptStatus } from "@tapedeck/domain"
import { type Faults, noFaults } from "./faults/Faults.ts"
import { Journal } from "./journal/Journal.ts"
import type { Sink } from "./sinks/Sinks.ts"

/** A transcript that changes with its reads: a status applies from the n-th read since the transcript was loaded. */
export interface ReadScript {
  readonly reads: number
  readonly steps: ReadonlyArray<{ readonly reads: number; readonly status: TranscriptStatus }>
}

/** State of a world outside the service's store, as one immutable value. */
export interface WorldEnvironment {
  readonly sinks: ReadonlyMap<string, Sink>
  /** Transcripts whose status depends on the number of reads. */
  readonly readScripts: ReadonlyMap<RecordingUuid, ReadScript>
  readonly faults: Faults
  readonly journal: Journal
}

export const emptyEnvironment = (journalSize: number): WorldEnvironment => ({
  sinks: new Map(),
  readScripts: new Map(),
  faults: noFaults,
  journal: Journal.empty(journalSize)
})
