import { Context } from "effect"
import type { Emulator } from "../Emulator.ts"
import type { World } from "../world/World.ts"

export interface InWorld {
  readonly world: World
  readonly emulator: Emulator
}

/** The world of a control request, and its emulator. */
export const CurrentWorld = Context.Reference<InWorld>("@tapedeck/emulator/CurrentWorld", {
  defaultValue: () => {
    throw new Error("there is no world outside of a request")
  }
})
