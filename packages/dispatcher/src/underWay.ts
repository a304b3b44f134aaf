import type { Claim } from "@tapedeck/core"
import { Effect, Fiber } from "effect"

/** An attempt in hand. */
export interface Attempt {
  readonly claim: Claim
  /** Whether its claim is still to be kept; what is answered may be recorded, and so over, at any time. */
  lease: "kept" | "answered" | "lost" | "over"
  /** Undefined until it has begun. */
  fiber: Fiber.Fiber<unknown> | undefined
  /** Its place among the others. */
  readonly place: number
}

/**
 * The attempts that a worker has in hand, in places that are taken again. A Set or a Map would keep alive what it held: the
 * tables that it grows out of lie where the collector of what is young takes all for alive, with all that was in them then.
 */
export class UnderWay {
  private readonly attempts: Array<Attempt | undefined> = []
  private readonly vacant: Array<number> = []

  begin(claim: Claim): Attempt {
    const place = this.vacant.pop() ?? this.attempts.length
    const attempt: Attempt = { claim, lease: "kept", fiber: undefined, place }
    this.attempts[place] = attempt
    return attempt
  }

  /** To be called once. */
  end(attempt: Attempt) {
    attempt.lease = "over"
    this.attempts[attempt.place] = undefined
    this.vacant.push(attempt.place)
  }

  all(): ReadonlyArray<Attempt> {
    return this.attempts.filter((attempt) => attempt !== undefined)
  }

  /** Those that are in hand now. */
  get interrupted(): Effect.Effect<void> {
    return Effect.suspend(() => Fiber.interruptAll(this.fibers()))
  }

  /** Ends when none of those that are in hand now is any more. */
  get ended(): Effect.Effect<void> {
    return Effect.suspend(() => Effect.asVoid(Fiber.awaitAll(this.fibers())))
  }

  private fibers(): ReadonlyArray<Fiber.Fiber<unknown>> {
    return this.attempts.flatMap((attempt) => attempt?.fiber ?? [])
  }
}
