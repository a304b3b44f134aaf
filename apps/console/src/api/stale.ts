import type { QueryClient } from "@tanstack/react-query"
import type { Change } from "@tapedeck/client"
import { mount } from "./mount.ts"

/** Changes are collected for this long, so that a burst is one read. */
const settleMs = 250
/** After everything was read anew, how long it is not read again. */
const resetRestMs = 2_000
/** A rest after reads is this many times as long as the reads were: where much changes, they take a fifth of the time. */
const restFactor = 4

/** The first and second parts of the keys of what a change is about; null as the second: of any. */
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

/** The second parts of keys of lists and counts, which any change of a subject may change; others are ids of one record. */
const lists: ReadonlyArray<unknown> = ["list", "count", "recent"]

const isList = (part: unknown): boolean => typeof part !== "string" || lists.includes(part)

/** Reads anew what is shown of what changed, and keeps its distance where much changes. */
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

  /** Changes were missed. */
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

/** Receivers are told of as deliveries that may all have changed; an emulator's clock shows what is pending. */
const isStale = (
  [subject, part]: ReadonlyArray<unknown>,
  changed: ReadonlyMap<string, Set<string | null>>
): boolean => {
  if (subject === "control") return mount.control !== null
  const ids = changed.get(subject === "automations" || subject === "destinations" ? "deliveries" : String(subject))
  if (ids === undefined) return false
  if (ids.has(null)) return true
  // Lists of receivers show their health, which an attempt changes.
  return isList(part) || ((subject === "deliveries" || subject === "recordings") && ids.has(String(part)))
}
