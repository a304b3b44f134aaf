import type { Effect, Stream } from "effect"

/** What is in a file: its bytes, or so many made-up ones, which are the same at each reading and take no memory. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "made_up"; readonly sizeBytes: number }

export interface FileRepository {
  readonly save: (id: string, content: FileContent) => Effect.Effect<void>
  /**
   * Writes a file from its bytes as they come, and gives how many there were. A stream that fails, or a caller that gives
   * up, leaves no file. It takes as long as the stream does: not for use inside a transaction.
   */
  readonly write: <E, R>(id: string, bytes: Stream.Stream<Uint8Array, E, R>) => Effect.Effect<number, E, R>
  /** A reading that has begun goes on. */
  readonly remove: (id: string) => Effect.Effect<void>
  /** The bytes from `start` (from 0), `length` of them or as many as there are, in pieces; undefined when there is no such file. */
  readonly read: (id: string, start: number, length: number) => Effect.Effect<Stream.Stream<Uint8Array> | undefined>
}
