import { Context } from "effect"

/**
 * What stands before `/api` in the addresses that a client uses, without a slash at its end: `/worlds/w1` in a world of
 * the emulator. The request's own URL comes without it. It shows in the OpenAPI documents alone.
 */
export const BasePath = Context.Reference<string>("@tapedeck/http/BasePath", { defaultValue: () => "" })
