import type { Effect, Scope, Stream } from "effect"

/** Content that came in whole and is not in its place yet. */
export interface Received {
  /** Of its bytes, in lower-case hexadecimal: what the content is called from now on. */
  readonly sha256: string
  readonly sizeBytes: number
  /** Where it is meanwhile. */
  readonly temporary: string
}

/** Where the bytes of files are, each content once, called by its hash: what `FileBytes` offers. */
export interface Bytes {
  /**
   * Takes bytes in as they come, and has them on the disk, under a temporary name. A stream that fails, or a caller that
   * gives up, leaves nothing.
   */
  readonly receive: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Effect.Effect<Received, E, R>
  /**
   * Puts content in its place, to stay there whatever happens then. What is there already is the same. It is part of a
   * transaction, as is `retire`: a transaction that is run again does it again.
   */
  readonly place: (received: Received) => Effect.Effect<void>
  /** Lets go of what was received, once it is in its place for good or is not to come there. */
  readonly drop: (received: Received) => Effect.Effect<void>
  /**
   * Opens content for as long as the scope lasts: the bytes from `start` (from 0), `length` of them or as many as there are,
   * in pieces. It can be read to its end whatever becomes of its place.
   */
  readonly read: (
    sha256: string,
    start: number,
    length: number
  ) => Effect.Effect<Stream.Stream<Uint8Array>, never, Scope.Scope>
  /** Takes content from its place, at once; the effect that it gives frees the space, which may take a while. */
  readonly retire: (sha256: string) => Effect.Effect<Effect.Effect<void>>
  /** What is in its place. What comes or goes meanwhile may be missed. */
  readonly list: Stream.Stream<string>
  /** Removes what is under temporary names. At start only, when nobody else uses them. */
  readonly clean: Effect.Effect<void>
  /** Where this machine's disk has them: dies with `StorageFull` where a file of some size finds no space. */
  readonly checkRoom?: Effect.Effect<void>
  /**
   * Where others could have their content in the same place: says at start whose it is, and dies with `FilesRefused` where
   * it is another's. Its orphans would be our orphans, and be removed.
   */
  readonly claim?: (installation: string) => Effect.Effect<void>
}
