import { type Instant, parseIso } from "@tapedeck/domain"
import type { Clock } from "effect"
import { wallClock } from "./VirtualClock.ts"

/** Beyond it no timestamp can be written: a clock that runs gets here, and no further. */
const lastInstant = parseIso("9999-12-31T23:59:59.999Z")!

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
  private readonly wall: Clock.Clock

  constructor(start: Instant, wall: Clock.Clock = wallClock) {
    this.instant = start
    this.wall = wall
  }

  /** The present instant. What carries it does not carry it past `nextDue`, which has not fired yet. */
  now(nextDue: Instant | undefined): Instant {
    if (this.carrier === null || this.moving) return this.instant
    return Math.max(this.instant, Math.min(this.carried(), nextDue ?? Number.POSITIVE_INFINITY)) as Instant
  }

  /** The present instant where nothing carries it; null where it has to be worked out. */
  get standing(): Instant | null {
    return this.carrier === null || this.moving ? this.instant : null
  }

  get rate(): number | null {
    return this.carrier?.rate ?? null
  }

  /** The instant to which wall time has carried virtual time; the present one when it is stopped. */
  carried(): Instant {
    return Math.min(Math.floor(this.carriedMs(this.wallMs())), lastInstant) as Instant
  }

  /** Moves it on to an instant; from one that has passed it does not go back. */
  set(instant: Instant) {
    this.instant = Math.max(this.instant, instant) as Instant
  }

  /** Lets wall time carry it from where it stands; one that is carried already is stopped first. */
  run(rate: number) {
    this.carrier = { rate, sinceWallMs: this.wallMs(), sinceVirtualMs: this.instant }
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
    const startedWallMs = this.wallMs()
    const startedVirtualMs = this.carriedMs(startedWallMs)
    return {
      endMove: () => {
        this.moving = false
        // Stopped, or set to run anew, meanwhile.
        if (carrier === null || this.carrier !== carrier) return
        const sinceVirtualMs = Math.max(startedVirtualMs, this.instant)
        this.carrier = { ...carrier, sinceWallMs: this.wallMs(), sinceVirtualMs }
      }
    }
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
