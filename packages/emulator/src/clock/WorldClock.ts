import { type Instant, parseIso } from "@tapedeck/domain"
import { type Clock, Deferred, Effect, Exit } from "effect"
import { wallClock } from "./VirtualClock.ts"

/** The last instant that a timestamp can represent. A running clock stops here. */
const lastInstant = parseIso("9999-12-31T23:59:59.999Z")!

/** The wall time, the virtual time and the rate from which a running clock computes its time. */
interface Carrier {
  readonly rate: number
  readonly sinceWallMs: number
  readonly sinceVirtualMs: number
}

/** A world's time. It is stopped, moved, or runs with wall time. It never goes back, except in `restart`. */
export class WorldClock {
  /** The origin of the move in progress, which sets the time: a call, or the running clock. */
  movedBy: "call" | "clock" | null = null
  private instant: Instant
  private carrier: Carrier | null = null
  private readonly wall: Clock.Clock
  /** Completed by `wake`, if a call waits. */
  private awaited: Deferred.Deferred<void> | null = null

  constructor(start: Instant, wall: Clock.Clock = wallClock) {
    this.instant = start
    this.wall = wall
  }

  /** The present instant. A running clock does not pass `nextDue`, which has not fired yet. */
  now(nextDue: Instant | undefined): Instant {
    if (this.carrier === null || this.movedBy !== null) return this.instant
    return Math.max(this.instant, Math.min(this.carried(), nextDue ?? Number.POSITIVE_INFINITY)) as Instant
  }

  /** The present instant of a stopped clock; null while it runs. */
  get standing(): Instant | null {
    return this.carrier === null || this.movedBy !== null ? this.instant : null
  }

  get rate(): number | null {
    return this.carrier?.rate ?? null
  }

  /** The virtual time that wall time has reached; the present instant of a stopped clock. */
  carried(): Instant {
    return Math.min(Math.floor(this.carriedMs(this.wallMs())), lastInstant) as Instant
  }

  /** Moves the clock forward to an instant; never back. */
  set(instant: Instant) {
    this.instant = Math.max(this.instant, instant) as Instant
  }

  /** Runs the clock with wall time. Stops a running one first. */
  run(rate: number) {
    this.carrier = { rate, sinceWallMs: this.wallMs(), sinceVirtualMs: this.instant }
  }

  /** Stops the clock. */
  stop(nextDue: Instant | undefined) {
    this.instant = this.now(nextDue)
    this.carrier = null
  }

  /** Sets the clock back to a start instant. A running clock continues from there. */
  restart(instant: Instant) {
    this.instant = instant
    if (this.carrier !== null) this.run(this.carrier.rate)
  }

  /**
   * Lets a move set the time until `endMove`. A running clock is stopped at its present time for the move, and continues
   * from the end of the move.
   */
  beginMove(nextDue: Instant | undefined, by: "call" | "clock" = "call"): { readonly endMove: () => void } {
    this.instant = this.now(nextDue)
    this.movedBy = by
    const carrier = this.carrier
    const startedWallMs = this.wallMs()
    const startedVirtualMs = this.carriedMs(startedWallMs)
    return {
      endMove: () => {
        this.movedBy = null
        this.wake()
        // Stopped or restarted during the move.
        if (carrier === null || this.carrier !== carrier) return
        const sinceVirtualMs = Math.max(startedVirtualMs, this.instant)
        this.carrier = { ...carrier, sinceWallMs: this.wallMs(), sinceVirtualMs }
      }
    }
  }

  /** Completes with the next `wake`. */
  get woken(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.awaited ??= Deferred.makeUnsafe<void>()
      return Deferred.await(this.awaited)
    })
  }

  /** Lets the calls that wait for the end of a move look again. */
  wake() {
    const woken = this.awaited
    this.awaited = null
    if (woken !== null) Deferred.doneUnsafe(woken, Exit.void)
  }

  private wallMs(): number {
    return this.wall.currentTimeMillisUnsafe()
  }

  private carriedMs(wallMs: number): number {
    if (this.carrier === null) return this.instant
    const { rate, sinceVirtualMs, sinceWallMs } = this.carrier
    return sinceVirtualMs + (wallMs - sinceWallMs) * rate
  }
}
