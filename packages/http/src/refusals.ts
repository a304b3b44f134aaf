import * as Contract from "@tapedeck/contract"
import type * as Core from "@tapedeck/core"

/** Core's refusals as the API's; the words are core's. */

export const notFound = (refusal: Core.NotFound) => new Contract.NotFound({ message: refusal.message })

export const conflict = (refusal: Core.VideoNotReady) => new Contract.Conflict({ message: refusal.message })

export const unauthenticated = (refusal: Core.Unauthenticated) =>
  new Contract.Unauthenticated({ message: refusal.message })

export const tooManyRequests = (refusal: Core.RateLimited | Core.SignInThrottled) =>
  new Contract.TooManyRequests({
    message: refusal.message,
    retryAfterSeconds: Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))
  })
