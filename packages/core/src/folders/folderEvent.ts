import {
  type Account,
  type AddedToFolder,
  type EventParts,
  type Folder,
  type Instant,
  MAX_TRANSCRIPT_TEXT_LENGTH,
  neededParts,
  noEventParts,
  type Recording,
  type TemplateVariable
} from "@tapedeck/domain"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import { recordingLinks } from "../recordings/links.ts"
import { mediaAccessOf } from "../recordings/sharing/mediaAccess.ts"
import { startOfTranscript } from "../recordings/startOfTranscript.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"

interface Added {
  readonly recording: Recording
  readonly folder: Folder
  readonly account: Account
  readonly at: Instant
}

export type FolderEvent = AddedToFolder & Pick<Added, "recording">

/** Reads the event that a recording was added to a folder. The parts that no variable needs stay empty, because a transcript can be large. */
export const folderEventReader = Effect.gen(function* () {
  const store = yield* storeOf("recordingParts", "users")
  const config = yield* ServiceConfig
  const vault = yield* Vault

  const ownerOf = ({ ownerId }: Recording) => (ownerId === null ? Effect.undefined : store.users.byId(ownerId))

  const transcriptOf = Effect.fnUntraced(function* (recording: Recording) {
    const { language, status } = shownTranscript(recording.transcript)
    if (status !== "ready") return null
    return { language, text: yield* startOfTranscript(store.recordingParts, recording, MAX_TRANSCRIPT_TEXT_LENGTH + 1) }
  })

  return Effect.fnUntraced(function* (
    { account, at, folder, recording }: Added,
    variables: Iterable<TemplateVariable>
  ): Effect.fn.Return<FolderEvent> {
    const needed = neededParts(variables)
    const parts: EventParts = {
      errors: needed.has("errors")
        ? yield* store.recordingParts.read(recording.id, "consoleErrors", "networkErrors")
        : noEventParts.errors,
      owner: needed.has("owner") ? ((yield* ownerOf(recording)) ?? null) : null,
      transcript: needed.has("transcript") ? yield* transcriptOf(recording) : null
    }
    const access = mediaAccessOf(vault, recording, at, config.signedMs)
    const links = recordingLinks(config.publicUrl, recording.uuid, access)
    return { recording, ...parts, folder, account, links, vendor: config.vendor, at }
  })
})
