import type { Delivery } from "@tapedeck/domain"
import { Context, type Effect } from "effect"

/** Makes the attempt of a send-test. Sending is the dispatcher's, which lies beyond core: so this is a port. */
export class TestSender extends Context.Service<
  TestSender,
  {
    /**
     * Sends a test delivery, scheduled for now, and returns it with its end and its attempt. It is not stored. An end in the future
     * of virtual time is returned at once. Null if its receiver was removed.
     */
    readonly send: (delivery: Delivery) => Effect.Effect<Delivery | null>
  }
>()("@tapedeck/core/TestSender") {}
