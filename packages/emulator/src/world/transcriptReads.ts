import type { Transcripts } from "@tapedeck/core"
import type { Recording } from "@tapedeck/domain"
import { Effect } from "effect"
import type { World } from "./World.ts"

/** Counts a read of a scripted transcript, and takes the step that it causes. */
export const countingReads = (world: World, transcripts: Transcripts["Service"]) =>
  Effect.fnUntraced(function* (recording: Recording) {
    const script = world.environment.readScripts.get(recording.uuid)
    if (script === undefined) return recording
    const reads = script.reads + 1
    const readScripts = new Map(world.environment.readScripts).set(recording.uuid, { ...script, reads })
    world.update({ readScripts })
    const due = script.steps.filter((step) => step.reads === reads)
    if (due.length === 0) return recording
    for (const { status } of due) {
      if (yield* transcripts.step({ recordingUuid: recording.uuid, status })) {
        world.note({ kind: "transcript", id: recording.uuid, status })
      }
    }
    return (yield* world.memory.store.recordings.byUuid(recording.uuid)) ?? recording
  })
