import type { Delivery } from "@tapedeck/domain"
import { Context, type Effect } from "effect"

/** Makes the attempt of a send-test. Sending is the dispatcher's, which lies beyond core: so this is a port. */
export class TestSender extends Context.Service<
  TestSender,
  {
    /**
     * Sends a test delivery, scheduled for now, and gives it as it ended, its attempt in its log. It is nowhere stored.
     * An end that lies in virtual time to come is told at once. Null when there is nobody to send to any more.
     */
    readonly send: (delivery: Delivery) => Effect.Effect<Delivery | null>
  }
>()("@tapedeck/core/TestSender") {}
