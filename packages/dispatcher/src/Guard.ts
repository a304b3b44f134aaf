import { Context, type Effect } from "effect"

/**
 * Checks a URL before a request. Returns null, or the reason why it is blocked. The emulator permits loopback and named receivers. The
 * server checks the URL here, and the addresses of its name when it connects (`layerNetwork`), so that only checked addresses are dialled.
 */
export class Guard extends Context.Service<Guard, { readonly check: (url: string) => Effect.Effect<string | null> }>()(
  "@tapedeck/dispatcher/Guard"
) {}
