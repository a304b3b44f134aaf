import { Context, Effect } from "effect"

/**
 * The policy that a URL has to pass before anything is sent to it: null, or why it is blocked. The emulator lets
 * loopback and named receivers pass. The server's says what a URL alone shows; what its name leads to is judged where it
 * is dialled (`layerNetwork`), so that what was checked is what is dialled.
 */
export const Guard = Context.Reference<{ readonly check: (url: string) => Effect.Effect<string | null> }>(
  "@tapedeck/dispatcher/Guard",
  { defaultValue: () => ({ check: () => Effect.succeed(null) }) }
)
