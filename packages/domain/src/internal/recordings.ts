/** Recordings: parts, search, helpdesks, sharing. Internal to the packages of Tapedeck: any release may change it. */

export { embedOriginsOf } from "../recordings/embedOrigins.ts"
export {
  chaptersOf,
  GeneratedTexts,
  generatedFields,
  MAX_GENERATED,
  MAX_SUMMARY_REQUESTS,
  type Summary,
  textSourceOf,
  withoutChapters,
  withSummary,
  writtenByPerson
} from "../recordings/generatedTexts.ts"
export { derivedSourceLabel, type NativeIdField, nativeIdField, noHelpdesk } from "../recordings/helpdesk.ts"
export {
  type HelpdeskKind,
  helpdeskAddress,
  helpdeskAddressesOf,
  helpdeskExample,
  helpdeskKinds,
  helpdeskLabels,
  helpdeskPlatforms,
  MAX_HELPDESK_ADDRESS,
  MAX_TICKET_ADDRESS,
  ticketAddress,
  ticketAt
} from "../recordings/helpdesks.ts"
export {
  noParts,
  putTogether,
  roomInsightsOf,
  sourceLabel,
  takenApart,
  type WholeTranscript
} from "../recordings/Recording.ts"
export { roomDurationSeconds } from "../recordings/RoomInsights.ts"
export { readSummary } from "../recordings/readSummary.ts"
export { isLongerThan, MAX_CHARACTERS } from "../recordings/recordingChanges.ts"
export {
  foundTokens,
  MAX_LISTED_UUIDS,
  orderKey,
  ownerWords,
  type ParsedSearch,
  parseSearch,
  type RecordingOrder,
  recordingOrders,
  type SearchTerm,
  titleOrder
} from "../recordings/search.ts"
export { type Highlight, highlightsOf } from "../recordings/searchHighlights.ts"
export { MAX_MATCH_CHARACTERS, MatchFinder, type SpokenMatch } from "../recordings/searchMatch.ts"
export { sharingOf } from "../recordings/sharing.ts"
export {
  MAX_SPOKEN_CHARACTERS,
  MAX_SPOKEN_TOKEN_CHARACTERS,
  MAX_SPOKEN_TOKENS,
  type SearchedTranscript,
  SpokenWords,
  searchedTranscript,
  spokenKey
} from "../recordings/spokenWords.ts"
export { unseenUntil } from "../recordings/unseen.ts"
export { consoleErrorsOf } from "../template/variables.ts"
