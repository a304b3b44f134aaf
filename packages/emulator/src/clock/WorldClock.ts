import type { Instant } from "@tapedeck/domain"
import { wallClock } from "./VirtualClock.ts"

/** Wall time that carries virtual time, times `rate`, from a pair of instants on. */
interface Carrier {
  readonly rate: number
  readonly sinceWallMs: number
  readonly sinceVirtualMs: number
}

/** A world's time: it stands until it is moved, or wall time carries it. It never goes back, but for `restart`. */
export class WorldClock {
  /** Whether a move is under way: time is then the move's to set. */
  moving = false
  private instant: Instant
  private carrier: Carrier | null = null

  constructor(start: Instant) {
    this.instant = start
  }

  /** The present instant. What carries it does not carry it past `nextDue`, which has not fired yet. */
  now(nextDue: Instant | undefined): Instant {
    if (this.carrier === null || this.moving) return this.instant
    return Math.max(this.instant, Math.min(this.carried(), nextDue ?? Number.POSITIVE_INFINITY)) as Instant
  }

  get rate(): number | null {
    return this.carrier?.rate ?? null
  }

  /** The instant to which wall time has carried virtual time; the present one when it is stopped. */
  carried(): Instant {
    return Math.floor(this.carriedMs(wallClock.currentTimeMillisUnsafe())) as Instant
  }

  set(instant: Instant) {
    this.instant = instant
  }

  run(rate: number) {
    this.carrier = { rate, sinceWallMs: wallClock.currentTimeMillisUnsafe(), sinceVirtualMs: this.instant }
  }

  /** Stops it where it is. */
  stop(nextDue: Instant | undefined) {
    this.instant = this.now(nextDue)
    this.carrier = null
  }

  /** Sets the clock back to a start instant, from which wall time goes on carrying it if it did. */
  restart(instant: Instant) {
    this.instant = instant
    if (this.carrier !== null) this.run(this.carrier.rate)
  }

  /**
   * Time is the body's from here until `endMove`. What wall time carried is where the move starts; wall time that passes
   * meanwhile carries nothing, and what the move went ahead stays.
   */
  beginMove(nextDue: Instant | undefined): { readonly endMove: () => void } {
    this.instant = this.now(nextDue)
    this.moving = true
    const carrier = this.carrier
    const startedWallMs = wallClock.currentTimeMillisUnsafe()
    const startedVirtualMs = this.carriedMs(startedWallMs)
    return {
      endMove: () => {
        this.moving = false
        // Stopped, or set to run anew, meanwhile.
        if (carrier === null || this.carrier !== carrier) return
        const sinceVirtualMs = Math.max(startedVirtualMs, this.instant)
        this.carrier = { ...carrier, sinceWallMs: wallClock.currentTimeMillisUnsafe(), sinceVirtualMs }
      }
    }
  }

  private carriedMs(wallMs: number): number {
    if (this.carrier === null) return this.instant
    const { rate, sinceVirtualMs, sinceWallMs } = this.carrier
    return sinceVirtualMs + (wallMs - sinceWallMs) * rate
  }
}
