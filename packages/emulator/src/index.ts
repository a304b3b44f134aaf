export type { PartialWorldConfig as EmulatorConfig } from "@tapedeck/fixtures"
export { type DeliveryFilter, type EmulatedWorld, EmulatorError, type JournalFilter } from "./EmulatedWorld.ts"
export type { JournalEntry } from "./journal/Journal.ts"
export {
  type FixturesDocument,
  type NewWorld,
  type RunningEmulator,
  type RunningWorld,
  startEmulator,
  type WorldOptions
} from "./startEmulator.ts"
