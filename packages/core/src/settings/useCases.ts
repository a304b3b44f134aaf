import { Layer } from "effect"
import { ChangeWatch } from "../changes/ChangeWatch.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { type SignInServices, signInUseCases } from "../signIn/useCases.ts"
import { AccountSettings } from "./AccountSettings.ts"
import { AuditTrail } from "./AuditTrail.ts"
import { AutomationSettings } from "./AutomationSettings.ts"
import { CaptureLinkSettings } from "./CaptureLinkSettings.ts"
import { CaptureLogs } from "./CaptureLogs.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { DestinationSettings } from "./DestinationSettings.ts"
import { Explanations } from "./Explanations.ts"
import { FolderSettings } from "./FolderSettings.ts"
import { ProfilePictures } from "./ProfilePictures.ts"
import { RecordingList } from "./RecordingList.ts"
import { RecordingSettings } from "./RecordingSettings.ts"
import type { Redeliveries } from "./Redeliveries.ts"
import { SharingSettings } from "./SharingSettings.ts"
import { SiteSettings } from "./SiteSettings.ts"
import { Statistics } from "./Statistics.ts"
import { TokenSettings } from "./TokenSettings.ts"
import { TranscriptSettings } from "./TranscriptSettings.ts"
import { TrimSettings } from "./TrimSettings.ts"
import { UserSettings } from "./UserSettings.ts"
import { VideoUploads } from "./VideoUploads.ts"

/** What the settings API needs of core. */
export type SettingsServices =
  | AccountSettings
  | AuditTrail
  | AutomationSettings
  | CaptureLinkSettings
  | CaptureLogs
  | ChangeWatch
  | DeliveryLog
  | DestinationSettings
  | Explanations
  | FolderSettings
  | IdempotencyKeys
  | ProfilePictures
  | RecordingList
  | RecordingSettings
  | Redeliveries
  | SharingSettings
  | SignInServices
  | Statistics
  | SiteSettings
  | TokenSettings
  | TranscriptSettings
  | TrimSettings
  | UserSettings
  | VideoUploads

/** What the settings screens do, over `useCases` and a `TestSender` (S1). */
export const settingsUseCases = Layer.mergeAll(
  AccountSettings.layer,
  AuditTrail.layer,
  AutomationSettings.layer,
  CaptureLinkSettings.layer,
  CaptureLogs.layer,
  ChangeWatch.layer,
  DeliveryLog.layer,
  DestinationSettings.layer,
  Explanations.layer,
  FolderSettings.layer,
  IdempotencyKeys.layer,
  RecordingList.layer,
  RecordingSettings.layer,
  SharingSettings.layer,
  Statistics.layer,
  SiteSettings.layer,
  TokenSettings.layer,
  TranscriptSettings.layer,
  TrimSettings.layer,
  ProfilePictures.layer.pipe(Layer.provideMerge(UserSettings.layer)),
  VideoUploads.layer
).pipe(Layer.provideMerge(signInUseCases))
