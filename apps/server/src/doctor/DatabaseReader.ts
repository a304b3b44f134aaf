import type { ContentRow, Inspection } from "@tapedeck/storage/sqlite"
import { Effect, type Redacted } from "effect"

/** Read access of `doctor` to a database. Servers may run on it at the same time. */
export interface DatabaseReader {
  /** Text about the removal of content that the database does not contain: by which process, and when. */
  readonly orphanRemoval: string
  /** `now` is the clock that decides when deliveries are due. */
  readonly inspect: (deep: boolean) => Promise<Inspection & { readonly now: number }>
  readonly inspectDeliveries: () => Promise<{ readonly count: number; readonly faults: ReadonlyArray<string> }>
  readonly contents: () => Promise<ReadonlyArray<ContentRow>>
  readonly knownContents: () => Promise<ReadonlySet<string>>
}

export const onSqlite = async (file: string): Promise<DatabaseReader> => {
  const { contentsIn, inspectDatabase, inspectDeliveries, knownContents } = await import("@tapedeck/storage/sqlite")
  return {
    orphanRemoval: "the server removes them at its next start, or within a day while it runs",
    inspect: async (deep) => ({ ...inspectDatabase(file, { deep }), now: Date.now() }),
    inspectDeliveries: async () => inspectDeliveries(file),
    contents: async () => contentsIn(file),
    knownContents: async () => knownContents(file)
  }
}

export const onPostgres = async (url: Redacted.Redacted): Promise<DatabaseReader> => {
  const storage = await import("@tapedeck/storage/postgres")
  return {
    orphanRemoval: "a node finds them at its start, or within a day while it runs, and removes them 24 hours later",
    inspect: () => Effect.runPromise(storage.inspectPostgres(url)),
    inspectDeliveries: () => Effect.runPromise(storage.inspectPostgresDeliveries(url)),
    contents: () => Effect.runPromise(storage.postgresContents(url)),
    knownContents: () => Effect.runPromise(storage.postgresKnownContents(url))
  }
}
