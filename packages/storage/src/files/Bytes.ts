import type { Effect, Scope, Stream } from "effect"

/** Content that was received completely and is not in its final place yet. */
export interface Received {
  /** Hash in lower-case hexadecimal. */
  readonly sha256: string
  readonly sizeBytes: number
  /** Temporary path of the content. */
  readonly temporary: string
}

/** Owner of the contents of a bucket or a directory. */
export interface Owner {
  readonly installation: string
  /** Identity of the installation's database, which distinguishes it from a copy. */
  readonly database?: string | undefined
}

/** A store of file contents, each under a key (`contentKey.ts`): the interface of `FileBytes`. Not for use in a transaction. */
export interface Bytes {
  /** Writes a stream to the disk under a temporary name. A stream that fails, or a caller that is interrupted, leaves nothing. */
  readonly receive: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Effect.Effect<Received, E, R>
  /** Stores received content durably, under a new key. */
  readonly place: (received: Received, key: string) => Effect.Effect<void>
  /** Removes the temporary copy, once the content is stored or not needed. */
  readonly drop: (received: Received) => Effect.Effect<void>
  /** Opens content for as long as the scope lasts: up to `length` bytes from `start` (from 0). */
  readonly read: (
    key: string,
    start: number,
    length: number
  ) => Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>
  /** Removes content permanently. Does nothing if there is none. */
  readonly remove: (key: string) => Effect.Effect<void>
  /** The keys of all contents. Concurrent changes may be missed. */
  readonly list: Stream.Stream<string>
  /** Removes all temporary files. At start only, before they are used. */
  readonly clean: Effect.Effect<void>
  /** Ends uploads to a bucket that began a day ago. */
  readonly abortStale: Effect.Effect<void>
  /** Dies with `StorageFull` if this machine's disk has no space for a file. Does nothing elsewhere. */
  readonly checkFreeSpace: Effect.Effect<void>
  /**
   * Reserves the bucket or the directory, which installations could share, for this one. Dies with `FilesRefused` if it belongs to
   * another, whose contents this one would remove as orphans.
   */
  readonly claim: (owner: Effect.Effect<Owner>) => Effect.Effect<void>
}
