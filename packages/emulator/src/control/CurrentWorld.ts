import { Context } from "effect"
import type { Emulator } from "../Emulator.ts"
import type { World } from "../World.ts"

/** The world that a control request is about, and the emulator that it is one of. */
export class CurrentWorld extends Context.Service<
  CurrentWorld,
  { readonly world: World; readonly emulator: Emulator }
>()("@tapedeck/emulator/CurrentWorld") {}
