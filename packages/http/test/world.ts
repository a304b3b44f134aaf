import {
  AccessTokens,
  AuditLog,
  Deliveries,
  defaultServiceConfig,
  emptyWorld,
  Ids,
  makeMemoryStore,
  RateLimiter,
  Recordings,
  RequestIds,
  ServiceConfig,
  Store,
  Transcripts,
  Users,
  Vault
} from "@tapedeck/core"
import { Layer, Redacted } from "effect"

/** A world in memory: everything that the app takes from a request's context. */
export const makeWorld = (config: Partial<ServiceConfig["Service"]> = {}) => {
  const memory = makeMemoryStore(emptyWorld())
  const base = Layer.mergeAll(
    Layer.succeed(Store, memory.store),
    Layer.succeed(ServiceConfig, { ...defaultServiceConfig, ...config }),
    Vault.layer(Redacted.make(new Uint8Array(32))),
    Ids.layerRandom,
    RequestIds.layerRandom
  )
  const services = Layer.mergeAll(Recordings.layer, Users.layer, AccessTokens.layer, RateLimiter.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Transcripts.layer)),
    Layer.provideMerge(Deliveries.layer),
    Layer.provideMerge(base)
  )
  return { memory, services }
}
