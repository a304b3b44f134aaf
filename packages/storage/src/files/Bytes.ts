import type { Effect, Scope, Stream } from "effect"

/** Content that was received completely and is not in its final place yet. */
export interface Received {
  /** In lower-case hexadecimal: the name of the content. */
  readonly sha256: string
  readonly sizeBytes: number
  /** Its temporary path. */
  readonly temporary: string
}

/** A store of file contents, each stored once under its hash: the interface of `FileBytes`. */
export interface Bytes {
  /** Writes a stream to the disk under a temporary name. A stream that fails, or a caller that is interrupted, leaves nothing. */
  readonly receive: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Effect.Effect<Received, E, R>
  /**
   * Moves content to its final place, durably. Content that is there already is the same. As `retire`, it runs in a transaction,
   * which may run more than once.
   */
  readonly place: (received: Received) => Effect.Effect<void>
  /** Removes the temporary copy, once the content is in its place for good or is not needed. */
  readonly drop: (received: Received) => Effect.Effect<void>
  /**
   * Opens content for as long as the scope lasts: up to `length` bytes from `start` (from 0). An open stream can be read to its end
   * even if the content is retired.
   */
  readonly read: (
    sha256: string,
    start: number,
    length: number
  ) => Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>
  /** Removes content from its place at once. The returned effect frees the space, which may take a while. */
  readonly retire: (sha256: string) => Effect.Effect<Effect.Effect<void>>
  /** The names of all contents. Concurrent changes may be missed. */
  readonly list: Stream.Stream<string>
  /** Removes all temporary files. At start only, before they are used. */
  readonly clean: Effect.Effect<void>
  /** Dies with `StorageFull` if this machine's disk has no space for a file. Does nothing elsewhere. */
  readonly checkFreeSpace: Effect.Effect<void>
  /**
   * Reserves a place that installations could share, a bucket, for this one. Dies with `FilesRefused` if it belongs to another,
   * whose contents this one would remove as orphans.
   */
  readonly claim: (installation: Effect.Effect<string>) => Effect.Effect<void>
}
