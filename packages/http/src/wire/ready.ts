import type { OwnedRecording } from "@tapedeck/core"
import type { Recording, User } from "@tapedeck/domain"
import type { RecordingConfig } from "./recording.ts"

/** One recording's JSON, and what besides the recording itself it was made of. */
interface Ready {
  readonly owner: User | null
  readonly publicUrl: string
  readonly vendor: string
  readonly json: string
}

/**
 * JSON of recordings, each serialised once and kept for as long as the store keeps that very object. A change makes a
 * new object, so it shows in the next answer; no answer is kept as a whole. A store that makes a new object at each read
 * has no use of this, and no harm.
 */
export const readyJson = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  const kept = new WeakMap<Recording, Ready>()
  return (owned: OwnedRecording, config: RecordingConfig): string => {
    const ready = kept.get(owned.recording)
    if (
      ready !== undefined &&
      ready.owner === owned.owner &&
      ready.publicUrl === config.publicUrl &&
      ready.vendor === config.vendor
    ) {
      return ready.json
    }
    const json = JSON.stringify(toWire(owned, config))
    kept.set(owned.recording, { owner: owned.owner, publicUrl: config.publicUrl, vendor: config.vendor, json })
    return json
  }
}
