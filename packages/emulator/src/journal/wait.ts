import { Clock, Effect } from "effect"
import { wallClock } from "../clock/VirtualClock.ts"
import type { World } from "../world/World.ts"
import type { JournalEntry } from "./Journal.ts"

/** Fields that an entry must have. Objects match by field, lists as a whole. */
export type EntryFields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const agrees = (fields: unknown, found: unknown): boolean =>
  isObject(fields)
    ? isObject(found) && Object.entries(fields).every(([key, value]) => agrees(value, found[key]))
    : JSON.stringify(fields) === JSON.stringify(found)

export const matches = (entry: JournalEntry, fields: EntryFields): boolean => agrees(fields, entry)

/** Returns the number of wanted fields that an entry has. */
const agreement = (entry: JournalEntry, fields: EntryFields): number =>
  Object.entries(fields).filter(([key, value]) => agrees(value, entry[key as keyof JournalEntry])).length

const nearestCount = 5

export interface Wait {
  readonly match: EntryFields
  readonly count: number
  readonly since: number
  readonly timeoutMs: number
}

export type Waited =
  | { readonly matched: ReadonlyArray<JournalEntry> }
  | { readonly error: string; readonly nearest: ReadonlyArray<JournalEntry> }

/** Waits, in wall time, until `count` entries after `since` have the wanted fields. On a timeout it describes the nearest ones. */
export const waitFor = (world: World, wait: Wait): Effect.Effect<Waited> => {
  const look = () => world.environment.journal.entries(wait.since).filter((entry) => matches(entry, wait.match))
  const poll = Effect.gen(function* () {
    while (true) {
      // Subscribed before the look, so that no entry in between is missed.
      const { nextNote } = world
      const found = look()
      if (found.length >= wait.count) return { matched: found.slice(0, wait.count) }
      yield* nextNote
    }
  })
  return Effect.timeoutOrElse(poll, {
    duration: wait.timeoutMs,
    orElse: () => Effect.sync(() => missed(world.environment.journal.entries(wait.since), look().length, wait))
  }).pipe(Effect.provideService(Clock.Clock, wallClock))
}

const missed = (entries: ReadonlyArray<JournalEntry>, found: number, { count, match, timeoutMs }: Wait): Waited => {
  const ranked = entries
    .map((entry) => ({ entry, agreement: agreement(entry, match) }))
    .filter((one) => one.agreement > 0 && !matches(one.entry, match))
    .sort((a, b) => b.agreement - a.agreement || b.entry.seq - a.entry.seq)
  const best = ranked[0]?.agreement ?? 0
  const near = ranked.filter((one) => one.agreement === best).map((one) => one.entry)
  return {
    error: `${found} of ${count} entries matched within ${timeoutMs} ms; ${nearMiss(near, match, found)}`,
    nearest: near.slice(0, nearestCount)
  }
}

/** "2 attempt entries with automation a1, none with status_code 200: 500, null" */
const nearMiss = (near: ReadonlyArray<JournalEntry>, match: EntryFields, found: number): string => {
  const [first] = near
  if (first === undefined) return `no ${found === 0 ? "entry" : "other"} had any of the fields`
  const fields = Object.entries(match)
  const show = (list: typeof fields) => list.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", ")
  const had = fields.filter(([key, value]) => agrees(value, first[key as keyof JournalEntry]))
  const lacked = fields.filter((field) => !had.includes(field))
  const instead = near.map((entry) =>
    lacked.map(([key]) => JSON.stringify(entry[key as keyof JournalEntry])).join(", ")
  )
  return `${near.length} with ${show(had)}, none with ${show(lacked)}: ${instead.slice(0, 10).join("; ")}`
}
