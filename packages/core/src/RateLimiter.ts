import { Context, Effect, Layer } from "effect"
import type { Caller } from "./Caller.ts"
import { RateLimited } from "./errors.ts"
import { now } from "./now.ts"
import { ServiceConfig } from "./ServiceConfig.ts"
import { Store } from "./Store.ts"
import { whenFull } from "./space.ts"

/** The configured limit of requests by token (R18): a fixed window that opens with its first request. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly admit: (caller: Caller) => Effect.Effect<void, RateLimited>
  }
>()("@tapedeck/core/RateLimiter") {
  static readonly layer = Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const store = yield* Store
      const { rateLimit } = yield* ServiceConfig
      if (rateLimit === null) return RateLimiter.of({ admit: () => Effect.void })

      const admit = Effect.fnUntraced(function* (caller: Caller) {
        const at = yield* now
        const open = yield* store.rateWindows.byToken(caller.tokenId)
        // One that starts in the future is over too: the clock was set back since.
        const isOpen = open !== undefined && open.startedAt <= at && at < open.startedAt + rateLimit.perMs
        const window = isOpen ? open : { startedAt: at, requests: 0 }
        if (window.requests >= rateLimit.requests) {
          return yield* new RateLimited({ retryAfterMs: window.startedAt + rateLimit.perMs - at })
        }
        yield* store.rateWindows.save(caller.tokenId, { ...window, requests: window.requests + 1 })
      })

      // Reads go on while the disk is full, uncounted.
      return RateLimiter.of({ admit: (caller) => whenFull(store.transaction(admit(caller)), Effect.void) })
    })
  )
}
