import { Context, Effect, Layer } from "effect"
import { storeOf } from "../Store.ts"
import type { ChangeLog } from "./ChangeLog.ts"

/** The changes of the store, to be watched. */
export class ChangeWatch extends Context.Service<ChangeWatch, { readonly log: ChangeLog }>()(
  "@tapedeck/core/ChangeWatch"
) {
  static readonly layer = Layer.effect(
    ChangeWatch,
    Effect.map(storeOf("changes"), ({ changes }) => ChangeWatch.of({ log: changes }))
  )
}
