import { Layer } from "effect"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { type SignInServices, signInUseCases } from "../signIn/useCases.ts"
import { AccountSettings } from "./AccountSettings.ts"
import { AuditTrail } from "./AuditTrail.ts"
import { AutomationSettings } from "./AutomationSettings.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { DestinationSettings } from "./DestinationSettings.ts"
import { Explanations } from "./Explanations.ts"
import { FolderSettings } from "./FolderSettings.ts"
import { ProfilePictures } from "./ProfilePictures.ts"
import { RecordingSettings } from "./RecordingSettings.ts"
import { TokenSettings } from "./TokenSettings.ts"
import { TranscriptSettings } from "./TranscriptSettings.ts"
import { UserSettings } from "./UserSettings.ts"

/** What the settings API needs of core. */
export type SettingsServices =
  | AccountSettings
  | AuditTrail
  | AutomationSettings
  | DeliveryLog
  | DestinationSettings
  | Explanations
  | FolderSettings
  | IdempotencyKeys
  | ProfilePictures
  | RecordingSettings
  | SignInServices
  | TokenSettings
  | TranscriptSettings
  | UserSettings

/** What the settings screens do, over `useCases` and a `TestSender` (S1). */
export const settingsUseCases = Layer.mergeAll(
  AccountSettings.layer,
  AuditTrail.layer,
  AutomationSettings.layer,
  DeliveryLog.layer,
  DestinationSettings.layer,
  Explanations.layer,
  FolderSettings.layer,
  IdempotencyKeys.layer,
  RecordingSettings.layer,
  TokenSettings.layer,
  TranscriptSettings.layer,
  ProfilePictures.layer.pipe(Layer.provideMerge(UserSettings.layer))
).pipe(Layer.provideMerge(signInUseCases))
