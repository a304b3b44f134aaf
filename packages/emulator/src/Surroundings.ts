import type { RecordingUuid } from "@tapedeck/domain"
import { type Faults, noFaults } from "./faults/Faults.ts"
import { Journal } from "./journal/Journal.ts"
import type { Sink } from "./sinks/Sinks.ts"
import type { ReadScript } from "./transcriptReads.ts"

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
