import type { AnyDelivery, Claim, QueueKey } from "@tapedeck/domain/delivery"
import type { Fiber } from "effect"
import type { AttemptSlot } from "../Dispatcher.ts"

export interface SlotLimits {
  /** Maximum number of attempts that occupy a slot at a time. */
  readonly concurrency: number
  /** Maximum number of them at one host. A host gets there by answering: each answer is worth one more. */
  readonly perHost: number
  /**
   * The same for a host that has not answered yet, or did not answer the last attempt that ended: hosts that do not answer leave slots
   * to those that do, also to those of the same account.
   */
  readonly perNewHost: number
}

/**
 * An account may occupy three times as many slots as are free: alone three quarters of all, two accounts three sevenths each.
 * So a newly active account always gets a free slot, and no slot is reserved.
 */
export const accountShare = 3

/** Maximum number of outcomes that wait to be recorded, or `concurrency` if that is more. Beyond it slots wait for the store. */
const maxUnrecorded = 256

/** Maximum size of a claim, and of the prefetch. */
const maxBatch = 512

/** Maximum number of receivers whose host is kept, and of hosts whose slots are counted. */
const maxHosts = 10_000

/**
 * `prefetched`: claimed, and waits for a slot. `active`: occupies a slot. `recording`: its receiver has answered, or it is given
 * back; its slot is free while that is recorded.
 */
type Phase = "prefetched" | "active" | "recording" | "ended"

/** A claimed delivery until its outcome is recorded. */
export class InFlightAttempt<D extends AnyDelivery = AnyDelivery> implements AttemptSlot {
  readonly claim: Claim<D>
  readonly key: QueueKey
  readonly claimedAtMs: number
  phase: Phase = "prefetched"
  /** Another worker has taken the delivery over. */
  isLeaseLost = false
  fiber: Fiber.Fiber<unknown> | undefined
  /** Where it goes, as far as is known. */
  host: string
  index: number
  private readonly registry: InFlight<D>

  constructor(claim: Claim<D>, key: QueueKey, registry: InFlight<D>, claimedAtMs: number) {
    this.claim = claim
    this.key = key
    this.claimedAtMs = claimedAtMs
    this.host = registry.hostOf(this.key)
    this.index = registry.attempts.length
    this.registry = registry
  }

  admit(host: string): boolean {
    return this.phase === "active" && this.registry.admitAt(this, host)
  }

  leave(after: Parameters<AttemptSlot["leave"]>[0]) {
    if (this.phase !== "active") return
    if (after !== "nothing") this.registry.learn(this.host, after === "answer")
    this.registry.move(this, "recording")
  }
}

/** The attempts that a worker has in flight. All counts change in `move`, with an attempt's phase. */
export class InFlight<D extends AnyDelivery = AnyDelivery> {
  /** An array: tables that a Set or a Map has outgrown keep what they held alive until V8 collects its old generation. */
  readonly attempts: Array<InFlightAttempt<D>> = []
  readonly throughput: ReturnType<typeof makeThroughput>
  private readonly limits: SlotLimits
  private readonly nowMs: () => number
  private readonly onSlotFree: (freeBefore: number) => void
  private readonly counts = { prefetched: 0, active: 0, recording: 0, ended: 0 }
  private readonly prefetchedAt = new Map<string, number>()
  private readonly activeAt = new Map<string, number>()
  private readonly activeBy = new Map<number, number>()
  /** Where receivers were when they were last called: their configuration may say otherwise by now. */
  private readonly hosts = new Map<string, string>()
  /** How many slots a host may have, if more than `perNewHost`. */
  private readonly slotsOf = new Map<string, number>()

  /** `onSlotFree` is called with the number of slots that were free before. */
  constructor(limits: SlotLimits, nowMs: () => number, onSlotFree: (freeBefore: number) => void = () => {}) {
    this.limits = limits
    this.nowMs = nowMs
    this.onSlotFree = onSlotFree
    this.throughput = makeThroughput(nowMs)
  }

  add(claim: Claim<D>, key: QueueKey): InFlightAttempt<D> {
    const attempt = new InFlightAttempt(claim, key, this, this.nowMs())
    this.attempts.push(attempt)
    this.count(attempt, 1)
    return attempt
  }

  end(attempt: InFlightAttempt<D>) {
    const last = this.attempts.pop()!
    if (last !== attempt) this.attempts[attempt.index] = last
    last.index = attempt.index
    this.move(attempt, "ended")
  }

  /** Whether an active attempt may go to this host. */
  admitAt(attempt: InFlightAttempt<D>, host: string): boolean {
    if (host !== attempt.host) {
      if (this.hosts.size >= maxHosts) this.hosts.clear()
      this.hosts.set(attempt.key.receiver, host)
      this.move(attempt, "active")
    }
    return this.roomAt(host) >= 0
  }

  move(attempt: InFlightAttempt<D>, phase: Phase) {
    const before = this.free
    this.count(attempt, -1)
    attempt.phase = phase
    attempt.host = this.hostOf(attempt.key)
    this.count(attempt, 1)
    if (this.free > before) this.onSlotFree(before)
  }

  private count({ host, key, phase }: InFlightAttempt<D>, change: 1 | -1) {
    this.counts[phase] += change
    if (phase === "prefetched") add(this.prefetchedAt, host, change)
    if (phase !== "active") return
    add(this.activeAt, host, change)
    add(this.activeBy, key.accountId, change)
  }

  /** The number of free slots. */
  get free(): number {
    const { concurrency } = this.limits
    const { active, recording } = this.counts
    return concurrency - active - Math.max(0, recording - Math.max(concurrency, maxUnrecorded))
  }

  /** How many more may be prefetched: in all as many as were answered in 25 ms, so that each starts in about that time. */
  get prefetchRoom(): number {
    return Math.max(0, Math.min(this.throughput.at(), maxBatch) - this.counts.prefetched)
  }

  /** Whether less than half of what may be is prefetched. */
  get isPrefetchLow(): boolean {
    return this.counts.prefetched < this.prefetchRoom
  }

  /** How many may be claimed. */
  get room(): number {
    return Math.min(this.free + this.prefetchRoom, maxBatch)
  }

  roomAt(host: string): number {
    return this.slotsAt(host) - (this.activeAt.get(host) ?? 0)
  }

  /** An attempt at the host ended: with an answer, or without a complete one. */
  learn(host: string, hasAnswered: boolean) {
    if (!hasAnswered) return void this.slotsOf.delete(host)
    this.throughput.count(host)
    const slots = this.slotsAt(host)
    if (slots >= this.limits.perHost) return
    if (this.slotsOf.size >= maxHosts) this.slotsOf.clear()
    this.slotsOf.set(host, slots + 1)
  }

  private slotsAt(host: string): number {
    return this.slotsOf.get(host) ?? Math.min(this.limits.perNewHost, this.limits.perHost)
  }

  prefetchRoomAt(host: string): number {
    return this.throughput.at(host) - (this.prefetchedAt.get(host) ?? 0)
  }

  activeOf(account: number): number {
    return this.activeBy.get(account) ?? 0
  }

  /** The receiver's id stands for a host that is not known yet. */
  hostOf({ receiver }: QueueKey): string {
    return this.hosts.get(receiver) ?? receiver
  }

  /** Whether a slot is free for the account, and its host has room. */
  admits(key: QueueKey): boolean {
    const { free } = this
    return free > 0 && this.activeOf(key.accountId) < accountShare * free && this.roomAt(this.hostOf(key)) > 0
  }
}

/** Keeps no key whose count is 0. */
const add = <Key>(counts: Map<Key, number>, key: Key, change: 1 | -1) => {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

/** Throughput is measured in windows of this length. */
const windowMs = 25

/** Counts how many attempts were answered in 25 ms: in the last full window, or in the present one if that has more already. */
const makeThroughput = (nowMs: () => number) => {
  let index = Number.NEGATIVE_INFINITY
  /** By host; `undefined` stands for all. */
  let previous = new Map<string | undefined, number>()
  let current = new Map<string | undefined, number>()

  const advance = () => {
    const now = Math.floor(nowMs() / windowMs)
    if (now === index) return
    previous = now === index + 1 ? current : new Map()
    current = new Map()
    index = now
  }

  return {
    count: (host: string) => {
      advance()
      for (const key of [host, undefined]) current.set(key, (current.get(key) ?? 0) + 1)
    },
    /** At a host, or at all. */
    at: (host?: string): number => {
      advance()
      return Math.max(previous.get(host) ?? 0, current.get(host) ?? 0)
    }
  }
}
