import { Context, Effect } from "effect"

/**
 * Checks a URL before a request to it: null, or why it is blocked. The emulator permits loopback and named receivers. The server
 * checks the URL here, and the addresses of its name when it connects (`layerNetwork`), so that exactly these are dialled.
 */
export const Guard = Context.Reference<{ readonly check: (url: string) => Effect.Effect<string | null> }>(
  "@tapedeck/dispatcher/Guard",
  { defaultValue: () => ({ check: () => Effect.succeed(null) }) }
)
