export type { PartialWorldConfig as EmulatorConfig } from "@tapedeck/fixtures"
export type {
  AttemptView as Attempt,
  ClockView as Clock,
  DeliveryView as Delivery,
  EventView as ClockEvent,
  FaultView as Fault,
  MailView as Mail,
  MoveView as Move,
  SinkLogView as SinkLog,
  SinkView as Sink,
  VideoView as Video,
  WorldView as World
} from "./control/schemas.ts"
export type { JournalEntry } from "./journal/Journal.ts"
export { type DeliveryFilter, type EmulatedWorld, EmulatorError, type JournalFilter } from "./library/EmulatedWorld.ts"
export type {
  FixturesDocument,
  NewWorld,
  RunningEmulator,
  RunningWorld,
  WorldOptions
} from "./library/RunningEmulator.ts"
export { startEmulator } from "./library/startEmulator.ts"
export type { Snapshot } from "./world/snapshot.ts"
