import type { Delivery, Receiver } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"
import { findReceiver } from "./receivers.ts"

type SendTest = (delivery: Delivery) => Effect.Effect<Delivery | null>

/** Makes the attempt of a send-test. Sending is the dispatcher's, which lies beyond core: so this is a port. */
export class TestSender extends Context.Service<
  TestSender,
  {
    /**
     * Sends a test delivery, scheduled for now, and returns it with its end and its attempt. It is not stored. An end in the future
     * of virtual time is returned at once. Null if its receiver was removed.
     */
    readonly send: SendTest
  }
>()("@tapedeck/core/TestSender") {
  /** Provides the test sender on the dispatcher's `makeTestSender`, for the receivers of the store. */
  static readonly layer = <R>(
    make: (
      receiverOf: (delivery: Delivery) => Effect.Effect<Receiver | null>,
      config: ServiceConfig["Service"]
    ) => Effect.Effect<SendTest, never, R>
  ) =>
    Layer.effect(
      TestSender,
      Effect.gen(function* () {
        const store = yield* storeOf("automations", "destinations")
        const send = yield* make((delivery) => findReceiver(store, delivery), yield* ServiceConfig)
        return TestSender.of({ send })
      })
    )
}
