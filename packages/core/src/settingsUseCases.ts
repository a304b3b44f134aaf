import { Layer } from "effect"
import { AuditTrail } from "./audit/AuditTrail.ts"
import { CaptureLinkSettings } from "./capture/CaptureLinkSettings.ts"
import { CaptureLogs } from "./capture/CaptureLogs.ts"
import { SiteSettings } from "./capture/SiteSettings.ts"
import { DeliveryLog } from "./deliveries/DeliveryLog.ts"
import { Explanations } from "./deliveries/Explanations.ts"
import type { Redeliveries } from "./deliveries/Redeliveries.ts"
import { Statistics } from "./deliveries/Statistics.ts"
import { ResumableUploads } from "./files/resumable/ResumableUploads.ts"
import { TrimSettings } from "./files/TrimSettings.ts"
import { VideoUploads } from "./files/VideoUploads.ts"
import { FolderSettings } from "./folders/FolderSettings.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { AccountSettings } from "./people/AccountSettings.ts"
import { ProfilePictures } from "./people/ProfilePictures.ts"
import { type SignInServices, signInUseCases } from "./people/signIn/useCases.ts"
import { TokenSettings } from "./people/TokenSettings.ts"
import { UserSettings } from "./people/UserSettings.ts"
import { AutomationSettings } from "./receivers/AutomationSettings.ts"
import { DestinationSettings } from "./receivers/DestinationSettings.ts"
import { RecordingChanges } from "./recordings/RecordingChanges.ts"
import { RecordingList } from "./recordings/RecordingList.ts"
import { RecordingSettings } from "./recordings/RecordingSettings.ts"
import { SeenRecordings } from "./recordings/SeenRecordings.ts"
import { SharingSettings } from "./recordings/sharing/SharingSettings.ts"
import { SummarySettings } from "./recordings/summaries/SummarySettings.ts"
import { TranscriptSettings } from "./recordings/TranscriptSettings.ts"
import { ChangeWatch } from "./store/changes/ChangeWatch.ts"

/** Services of core that the settings API requires. */
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
  | RecordingChanges
  | RecordingList
  | RecordingSettings
  | Redeliveries
  | ResumableUploads
  | SeenRecordings
  | SharingSettings
  | SignInServices
  | Statistics
  | SiteSettings
  | SummarySettings
  | TokenSettings
  | TranscriptSettings
  | TrimSettings
  | UserSettings
  | VideoUploads

/** Use cases of the settings screens, on top of `useCases` and a `TestSender` (S1). */
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
  RecordingChanges.layer,
  RecordingList.layer,
  RecordingSettings.layer,
  SeenRecordings.layer,
  SharingSettings.layer,
  Statistics.layer,
  SiteSettings.layer,
  SummarySettings.layer,
  TokenSettings.layer,
  TranscriptSettings.layer,
  TrimSettings.layer,
  ProfilePictures.layer.pipe(Layer.provideMerge(UserSettings.layer)),
  ResumableUploads.layer.pipe(Layer.provideMerge(VideoUploads.layer))
).pipe(Layer.provideMerge(signInUseCases))
