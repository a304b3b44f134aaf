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

/** A constructor that makes nothing new lets a private field be put on any object. */
class Itself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is how the field gets onto the object
    return object
  }
}

/**
 * JSON of recordings, each serialised once and kept for as long as the store keeps that very object. A change
 * makes a new object, so it shows in the next answer; no answer is kept as a whole. A store that makes a new object at
 * each read has no use of this, and no harm.
 *
 * It is kept in a private field of the recording, which is a `WeakMap` at a field's price: looking 25 records up in one
 * costs more than a list's whole way through `core`. Nobody else sees the field, and copies do not carry it.
 */
export const readyJson = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  class Kept extends Itself {
    #ready: Ready | undefined = undefined
    static on(recording: Recording): Ready | undefined {
      return #ready in recording ? (recording as unknown as Kept).#ready : undefined
    }
    static put(recording: Recording, ready: Ready) {
      const kept = #ready in recording ? (recording as unknown as Kept) : new Kept(recording)
      kept.#ready = ready
    }
  }

  return (owned: OwnedRecording, config: RecordingConfig): string => {
    const ready = Kept.on(owned.recording)
    if (
      ready !== undefined &&
      ready.owner === owned.owner &&
      ready.publicUrl === config.publicUrl &&
      ready.vendor === config.vendor
    ) {
      return ready.json
    }
    const json = JSON.stringify(toWire(owned, config))
    Kept.put(owned.recording, { owner: owned.owner, publicUrl: config.publicUrl, vendor: config.vendor, json })
    return json
  }
}
