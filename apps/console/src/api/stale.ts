import type { QueryClient } from "@tanstack/react-query"
import type { Change } from "@tapedeck/client"
import { mount } from "./mount.ts"

/** Time for which changes are collected, so that a burst causes one read, in milliseconds. */
const settleMs = 250
/** Minimum time between two reads of everything, in milliseconds. */
const resetRestMs = 2_000
/** Length of the pause after reads, as a multiple of their duration. Under constant changes, reads use a fifth of the time. */
const restFactor = 4

/** Returns the first and second parts of the query keys that a change concerns; null as the second stands for any. */
const partsOf = (change: Change): readonly [subject: string, id: string | null] | null => {
  switch (change.type) {
    case "recording":
    case "transcript":
      return ["recordings", change.uuid]
    case "delivery":
      return ["deliveries", change.id]
    case "attempt":
      return ["deliveries", change.delivery_id]
    default:
      return null
  }
}

/** The second parts of keys of lists and counts, which any change of a subject may change; others are ids of one record or of several. */
const lists: ReadonlyArray<unknown> = ["list", "count", "recent"]

const isList = (part: unknown): boolean => typeof part !== "string" || lists.includes(part)

/** Reads displayed records again when they change, with pauses under constant changes. */
export class Stale {
  readonly #client: QueryClient
  #isAll = false
  #ids = new Map<string, Set<string | null>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isReading = false
  #restsUntil = 0

  constructor(client: QueryClient) {
    this.#client = client
  }

  note(change: Change): void {
    const parts = partsOf(change)
    if (parts === null) {
      if (change.type === "reset") this.#isAll = true
    } else {
      const [subject, id] = parts
      this.#ids.set(subject, (this.#ids.get(subject) ?? new Set()).add(id))
    }
    this.#schedule()
  }

  /** Marks everything as stale, because changes were missed. */
  noteAll(): void {
    this.#isAll = true
    this.#schedule()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isAll = false
    this.#ids.clear()
  }

  #schedule(): void {
    if (!this.#isAll && this.#ids.size === 0) return
    if (this.#timer !== undefined || this.#isReading) return
    const restMs = Math.max(this.#restsUntil - performance.now(), settleMs)
    this.#timer = setTimeout(() => void this.#read(), restMs)
  }

  async #read(): Promise<void> {
    const isAll = this.#isAll
    const ids = this.#ids
    this.#isAll = false
    this.#ids = new Map()
    this.#timer = undefined
    this.#isReading = true
    const startedAt = performance.now()
    await this.#client.invalidateQueries({ predicate: ({ queryKey }) => isAll || isStale(queryKey, ids) })
    const endedAt = performance.now()
    this.#isReading = false
    this.#restsUntil = endedAt + Math.max(restFactor * (endedAt - startedAt), isAll ? resetRestMs : 0)
    this.#schedule()
  }
}

/** Returns whether a query is stale. A change of a receiver is reported as a change of deliveries; the clock of an emulator depends on every change. */
const isStale = (
  [subject, part]: ReadonlyArray<unknown>,
  changed: ReadonlyMap<string, Set<string | null>>
): boolean => {
  if (subject === "control") return mount.control !== null
  const ids = changed.get(subject === "automations" || subject === "destinations" ? "deliveries" : String(subject))
  if (ids === undefined) return false
  if (ids.has(null)) return true
  if (Array.isArray(part)) return part.some((id) => ids.has(String(id)))
  // Lists of receivers show their health, which an attempt changes.
  return isList(part) || ((subject === "deliveries" || subject === "recordings") && ids.has(String(part)))
}
