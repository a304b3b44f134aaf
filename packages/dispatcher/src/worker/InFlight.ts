import type { AnyDelivery, Claim, QueueKey } from "@tapedeck/domain/delivery"
import type { Fiber } from "effect"
import type { AttemptSlot } from "../Dispatcher.ts"
import { Host, type Phase, type SlotLimits } from "./Host.ts"

/**
 * Maximum ratio of an account's slots to free slots. A single account gets three quarters of all slots, two accounts get three sevenths
 * each. So a newly active account always gets a free slot, and no slot is reserved.
 */
export const accountShare = 3

/** Maximum number of outcomes that wait to be recorded, or `concurrency` if that is more. Beyond it, slots wait for the store. */
const maxUnrecorded = 256

const maxClaim = 512

/** Maximum time for which an attempt waits for a slot, in milliseconds. After it, the claim is returned: the host stopped answering, or the process was suspended. */
const maxWaitMs = 1_000

/** Maximum number of hosts whose answers are remembered, and of receivers whose host is remembered. */
const maxHosts = 10_000

/** A claimed delivery until its outcome is recorded. */
export interface InFlightAttempt<D extends AnyDelivery = AnyDelivery> extends AttemptSlot {
  readonly claim: Claim<D>
  readonly key: QueueKey
  readonly claimedAtMs: number
  phase: Phase
  /** Destination host, as far as it is known. */
  host: Host
  index: number
  fiber?: Fiber.Fiber<unknown>
  /** True if another worker has claimed the delivery. */
  isLeaseLost?: boolean
}

/** The attempts in flight of a worker. All counts change in `move`, with the phase of an attempt. */
export class InFlight<D extends AnyDelivery = AnyDelivery> {
  /** The attempts. An array, because outgrown tables of a Set or a Map retain their content until V8 collects its old generation. */
  readonly attempts: Array<InFlightAttempt<D>> = []
  /** Counts the attempts at all hosts as if they were one. */
  readonly all: Host
  private readonly limits: SlotLimits
  private readonly nowMs: () => number
  private readonly onSlotFree: (freeBefore: number) => void
  private readonly activeBy = new Map<number, number>()
  private readonly hosts = new Map<string, Host>()
  /** Host of each receiver at its last call. A receiver that was not called yet counts as its own host. */
  private readonly receivers = new Map<string, Host>()

  /** `onSlotFree` is called with the previous number of free slots. */
  constructor(limits: SlotLimits, nowMs: () => number, onSlotFree: (freeBefore: number) => void = () => {}) {
    this.limits = limits
    this.nowMs = nowMs
    this.onSlotFree = onSlotFree
    this.all = new Host(limits, nowMs)
  }

  add(claim: Claim<D>, key: QueueKey): InFlightAttempt<D> {
    const attempt: InFlightAttempt<D> = {
      claim,
      key,
      claimedAtMs: this.nowMs(),
      phase: "prefetched",
      host: this.hostOf(key.receiver),
      index: this.attempts.length,
      admit: (host) => this.admit(attempt, host),
      leave: (after) => this.leave(attempt, after)
    }
    this.attempts.push(attempt)
    this.count(attempt, 1)
    return attempt
  }

  isStale({ claimedAtMs }: InFlightAttempt<D>): boolean {
    return claimedAtMs <= this.nowMs() - maxWaitMs
  }

  private admit(attempt: InFlightAttempt<D>, name: string): boolean {
    if (attempt.phase !== "active" || attempt.isLeaseLost || this.isStale(attempt)) return false
    if (this.hosts.size > maxHosts) for (const [key, { isIdle }] of this.hosts) if (isIdle) this.hosts.delete(key)
    const host = this.remembered(this.hosts, name)
    this.receivers.set(attempt.key.receiver, host)
    if (host !== attempt.host) this.move(attempt, "active")
    return host.room >= 0
  }

  private leave(attempt: InFlightAttempt<D>, after: Parameters<AttemptSlot["leave"]>[0]) {
    if (attempt.phase !== "active") return
    if (after !== "nothing") for (const one of [this.all, attempt.host]) one.learn(after === "answer")
    this.move(attempt, "recording")
  }

  end(attempt: InFlightAttempt<D>) {
    const last = this.attempts.pop()!
    if (last !== attempt) this.attempts[attempt.index] = last
    last.index = attempt.index
    this.move(attempt, "ended")
  }

  move(attempt: InFlightAttempt<D>, phase: Phase) {
    const before = this.free
    this.count(attempt, -1)
    attempt.phase = phase
    attempt.host = this.hostOf(attempt.key.receiver)
    this.count(attempt, 1)
    if (this.free > before) this.onSlotFree(before)
  }

  private count({ host, key, phase }: InFlightAttempt<D>, change: 1 | -1) {
    for (const { counts } of [this.all, host]) counts[phase] += change
    if (phase !== "active") return
    const active = this.activeOf(key.accountId) + change
    if (active === 0) this.activeBy.delete(key.accountId)
    else this.activeBy.set(key.accountId, active)
  }

  /** The number of free slots. */
  get free(): number {
    const { concurrency } = this.limits
    const { active, recording } = this.all.counts
    return concurrency - active - Math.max(0, recording - Math.max(concurrency, maxUnrecorded))
  }

  /** The number of deliveries that may be claimed. */
  get room(): number {
    return Math.min(this.free + this.all.prefetchRoom, maxClaim)
  }

  activeOf(account: number): number {
    return this.activeBy.get(account) ?? 0
  }

  hostOf(receiver: string): Host {
    if (this.receivers.size > maxHosts) this.receivers.clear()
    return this.remembered(this.receivers, receiver)
  }

  private remembered(hosts: Map<string, Host>, name: string): Host {
    const host = hosts.get(name) ?? new Host(this.limits, this.nowMs)
    hosts.set(name, host)
    return host
  }

  /** Returns whether the account has a free slot, and the host has room. */
  admits(key: QueueKey): boolean {
    const { free } = this
    return free > 0 && this.activeOf(key.accountId) < accountShare * free && this.hostOf(key.receiver).room > 0
  }
}
