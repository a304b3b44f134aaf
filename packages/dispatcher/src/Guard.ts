import { Context, Effect } from "effect"

/**
 * The policy that a URL has to pass before anything is sent to it: null, or why it is blocked. The emulator lets
 * loopback and named receivers pass. In the server everything passes for now: its guard against private addresses
 * belongs here and into the sender's connector, so that what was checked is what is dialled.
 */
export const Guard = Context.Reference<{ readonly check: (url: string) => Effect.Effect<string | null> }>(
  "@tapedeck/dispatcher/Guard",
  { defaultValue: () => ({ check: () => Effect.succeed(null) }) }
)
