export * from "./AccessTokens.ts"
export * from "./AuditLog.ts"
export * from "./Caller.ts"
export * from "./Deliveries.ts"
export * from "./errors.ts"
export * from "./Folders.ts"
export * from "./Ids.ts"
export * from "./links.ts"
export { documentOfWorldState, WorldStateDocument, worldStateOfDocument } from "./memory/document.ts"
export { type MemoryStore, makeMemoryStore } from "./memory/MemoryStore.ts"
export { emptyWorld, type WorldState } from "./memory/WorldState.ts"
export { now } from "./now.ts"
export * from "./permissions.ts"
export * from "./RateLimiter.ts"
export * from "./Recordings.ts"
export * from "./ServiceConfig.ts"
export * from "./Store.ts"
export * from "./settings/FolderSettings.ts"
export type { SettingsInput } from "./settings/input.ts"
export * from "./settings/TestSender.ts"
export { duration, durationMs } from "./startDocument/duration.ts"
/** The building blocks of what comes in as a document: each says what its value must be. */
export * as Input from "./startDocument/fields.ts"
export { type LoadedDocument, loadStartDocument, type MadeDocument } from "./startDocument/load.ts"
export { FaultOutcome, Outcome, respondWith } from "./startDocument/outcome.ts"
export {
  decodeAll,
  Problem,
  pathText,
  problemLine,
  problemsIn,
  StartDocumentInvalid
} from "./startDocument/problems.ts"
export { StartDocument, startDocumentJsonSchema } from "./startDocument/schema.ts"
export * from "./Transcripts.ts"
export * from "./Users.ts"
export * from "./useCases.ts"
export * from "./Vault.ts"
export * from "./worldConfig.ts"
