import {
  defaultServiceConfig,
  deliveryQueue,
  emptyWorld,
  Ids,
  makeMemoryStore,
  ServiceConfig,
  storeLayer,
  storeOf,
  TestSender,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { leaseMs, makeDispatcher, makeTestSender } from "@tapedeck/dispatcher"
import { layerNetwork, type NetworkOptions } from "@tapedeck/dispatcher/network"
import { AutomationId, type Delivery, DeliveryId } from "@tapedeck/domain"
import { aDelivery, anAutomation } from "@tapedeck/testkit/samples"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { Attempted, Way } from "./Way.ts"

export interface ServerWay extends Way {
  readonly close: () => Promise<void>
}

/** The server's way to receivers: its dispatcher over its network, on a store in memory. */
export const serverWay = (options: NetworkOptions = {}, name = "the server"): ServerWay => {
  const ports = Layer.mergeAll(
    storeLayer(makeMemoryStore(emptyWorld()).store),
    Layer.succeed(ServiceConfig, defaultServiceConfig),
    Ids.layerRandom,
    Layer.succeed(UploadPolicy, { unknownContent: "refused" }),
    Vault.layer(Redacted.make(new Uint8Array(32)))
  )
  const runtime = ManagedRuntime.make(
    TestSender.layer(makeTestSender).pipe(
      Layer.provideMerge(useCases),
      Layer.provideMerge(layerNetwork(options)),
      Layer.provideMerge(ports)
    )
  )
  let made = 0

  /** A delivery of an automation of its own, which calls the URL. */
  const deliveryTo = Effect.fnUntraced(function* (url: string) {
    const id = `to-${made++}`
    const automation = { ...anAutomation(id), url, enabled: true }
    yield* (yield* storeOf("automations")).automations.save(automation)
    return aDelivery(id, { id: DeliveryId.make(id), automationId: AutomationId.make(automation.id) })
  })

  const attempt = Effect.fnUntraced(function* (url: string) {
    const { perform, queue } = yield* makeDispatcher(yield* deliveryQueue(), defaultServiceConfig)
    yield* (yield* storeOf("deliveries")).deliveries.insert(yield* deliveryTo(url))
    const [claim] = yield* queue.claim({ limit: 1, leaseMs })
    return attempted((yield* perform(claim!))?.delivery)
  })

  const sendTest = Effect.fnUntraced(function* (url: string) {
    const { send } = yield* TestSender
    return attempted(yield* send({ ...(yield* deliveryTo(url)), test: true }))
  })

  return {
    name,
    attempt: (url) => runtime.runPromise(attempt(url)),
    sendTest: (url) => runtime.runPromise(sendTest(url)),
    close: () => runtime.dispose()
  }
}

const attempted = (delivery: Delivery | null | undefined): Attempted => {
  const [last] = delivery?.attempts ?? []
  if (last === undefined) throw new Error("no attempt was made")
  return { outcome: last.outcome, error: last.error }
}
