export type { PartialWorldConfig as EmulatorConfig } from "@tapedeck/core"
export {
  type DeliveryFilter,
  EmulatorError,
  type EmulatorOptions,
  type RunningEmulator,
  startEmulator
} from "./startEmulator.ts"
