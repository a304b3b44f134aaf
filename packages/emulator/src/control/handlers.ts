import { Layer } from "effect"
import { clock } from "./handlers/clock.ts"
import { deliveries, folders } from "./handlers/deliveries.ts"
import { faults } from "./handlers/faults.ts"
import { journal } from "./handlers/journal.ts"
import { recordings } from "./handlers/recordings.ts"
import { sinks } from "./handlers/sinks.ts"
import { world } from "./handlers/world.ts"

/** The control plane's handlers. The world comes with each request. */
export const controlHandlers = Layer.mergeAll(world, folders, recordings, clock, sinks, deliveries, faults, journal)
