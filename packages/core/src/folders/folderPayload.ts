import {
  type AddedToFolder,
  defaultTemplate,
  type EventParts,
  MAX_TRANSCRIPT_TEXT_LENGTH,
  neededParts,
  noEventParts,
  type Recording,
  type TemplateVariable,
  templateValues,
  templateVariables
} from "@tapedeck/domain"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { parseTemplate, renderTemplate, type Template, variablesOf } from "@tapedeck/domain/template"
import { Effect, Result } from "effect"
import { startOfTranscript } from "../recordings/startOfTranscript.ts"
import { storeOf } from "../store/Store.ts"

/**
 * The payload template of an automation. Templates are checked when they are saved (W6), so one that does not parse here is a defect.
 */
export const payloadTemplateOf = (text: string | null): Template<TemplateVariable> =>
  text === null ? defaultTemplate : Result.getOrThrow(parseTemplate(text, templateVariables))

/** The body of a folder delivery; null where it would be too large. */
export const renderBody = (template: Template<TemplateVariable>, event: AddedToFolder): string | null =>
  renderTemplate(template, templateValues(event, variablesOf(template)))

/** Reads the parts of an event that these variables need; the others stay empty, because a transcript can be large. */
export const eventPartsReader = Effect.gen(function* () {
  const store = yield* storeOf("recordingParts", "users")

  const ownerOf = ({ ownerId }: Recording) => (ownerId === null ? Effect.undefined : store.users.byId(ownerId))

  const transcriptOf = Effect.fnUntraced(function* (recording: Recording) {
    const { language, status } = shownTranscript(recording.transcript)
    if (status !== "ready") return null
    return { language, text: yield* startOfTranscript(store.recordingParts, recording, MAX_TRANSCRIPT_TEXT_LENGTH + 1) }
  })

  return Effect.fnUntraced(function* (recording: Recording, variables: Iterable<TemplateVariable>) {
    const needed = neededParts(variables)
    const parts: EventParts = {
      errors: needed.has("errors")
        ? yield* store.recordingParts.read(recording.id, "consoleErrors", "networkErrors")
        : noEventParts.errors,
      owner: needed.has("owner") ? ((yield* ownerOf(recording)) ?? null) : null,
      transcript: needed.has("transcript") ? yield* transcriptOf(recording) : null
    }
    return parts
  })
})
