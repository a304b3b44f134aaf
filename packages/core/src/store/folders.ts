import type {
  AccountId,
  AuditDestination,
  Automation,
  AutomationId,
  DestinationId,
  Folder,
  FolderId
} from "@tapedeck/domain"
import type { Effect } from "effect"

export interface FolderRepository {
  readonly byId: (id: FolderId) => Effect.Effect<Folder | undefined>
  /** Lists the folders in the order of creation. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Folder>>
  readonly save: (folder: Folder) => Effect.Effect<void>
  readonly remove: (id: FolderId) => Effect.Effect<void>
}

export interface AutomationRepository {
  readonly byId: (id: AutomationId) => Effect.Effect<Automation | undefined>
  /** Lists the folder's automations in the order of creation, in which they run. */
  readonly ofFolder: (folderId: FolderId) => Effect.Effect<ReadonlyArray<Automation>>
  /** Lists the account's automations in the order of creation. */
  readonly ofAccount: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Automation>>
  readonly save: (automation: Automation) => Effect.Effect<void>
  /** Removes the automation. Its deliveries and their attempts stay. */
  readonly remove: (id: AutomationId) => Effect.Effect<void>
}

export interface DestinationRepository {
  readonly byId: (id: DestinationId) => Effect.Effect<AuditDestination | undefined>
  /** Lists the account's destinations in the order of creation. */
  readonly ofAccount: (accountId: AccountId) => Effect.Effect<ReadonlyArray<AuditDestination>>
  readonly save: (destination: AuditDestination) => Effect.Effect<void>
  /** Removes the destination. Its deliveries and their attempts stay. */
  readonly remove: (id: DestinationId) => Effect.Effect<void>
}
