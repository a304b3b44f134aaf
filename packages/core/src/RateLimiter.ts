import { Context, Effect, Layer } from "effect"
import { RateLimited } from "./errors.ts"
import { whenFull } from "./files/space.ts"
import { now } from "./now.ts"
import type { Caller } from "./people/Caller.ts"
import { ServiceConfig } from "./ServiceConfig.ts"
import { storeOf } from "./store/Store.ts"

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
      const store = yield* storeOf("rateWindows")
      const { rateLimit } = yield* ServiceConfig
      if (rateLimit === null) return RateLimiter.of({ admit: () => Effect.void })

      const admit = Effect.fnUntraced(function* (caller: Caller) {
        const at = yield* now
        const window = yield* store.rateWindows.count(caller.tokenId, at, rateLimit.perMs)
        if (window.requests <= rateLimit.requests) return
        return yield* new RateLimited({
          retryAfterMs: Math.min(rateLimit.perMs, window.startedAt + rateLimit.perMs - at)
        })
      })

      // Reads go on while the disk is full, uncounted.
      return RateLimiter.of({ admit: (caller) => whenFull(admit(caller), Effect.void) })
    })
  )
}
