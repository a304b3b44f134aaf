import { FolderId } from "@tapedeck/domain"
import type { Site } from "@tapedeck/domain/capture"
import type { Lenient } from "@tapedeck/domain/input"
import {
  atMost,
  email,
  integer,
  nullableTextId,
  object,
  optional,
  type Report,
  text,
  within
} from "@tapedeck/domain/input"
import { Effect, Schema } from "effect"
import { checkHelpdesk } from "../input/helpdesk.ts"
import { RecordingEntry } from "../input/recordingEntry.ts"
import { titleRules } from "../recordings/recordingInput.ts"
import { storeOf } from "../store/Store.ts"

/** The longest capture, in seconds: four hours. */
const maxDurationSeconds = 14_400

export const durationField = integer(
  `must be an integer from 1 to ${maxDurationSeconds}`,
  { minimum: 1, maximum: maxDurationSeconds },
  "The longest recording, in seconds. Default: 1,800."
)

export const nullableTitle = Schema.NullOr(Schema.String.check(...titleRules)).annotate({
  message: "must be a string or null",
  description: "The recording's title."
})

export const customerField = object(
  optional({
    email: Schema.NullOr(email("E-mail address.").check(atMost(255))).annotate({
      message: "must be an e-mail address or null",
      description: "E-mail address of the customer. Default: null."
    })
  }),
  "The customer."
)

const title = text("The recording's title.").check(...titleRules)

export const NoInput = object({}, "Nothing.")

export const FinishInput = object(
  optional({ title, customer: customerField, note: text("The customer's note.").check(atMost(10_000)) }),
  "What is said of a recording at its end."
)

export const SiteCaptureInput = object(
  optional({ title, customer: customerField, ticket_id: text("The ticket.").check(atMost(255)) }),
  "What a site says of a recording."
)

export const AgentCaptureInput = object(
  optional({
    title: nullableTitle,
    customer: customerField,
    helpdesk: RecordingEntry.fields.helpdesk.schema,
    folder_id: nullableTextId("Id of the folder that it enters when it is finished. Default: none."),
    max_duration_seconds: durationField
  }),
  "What an agent says of a recording."
)

export const checkSiteCapture =
  ({ platform }: Site, _vendor: string) =>
  (input: Lenient<typeof SiteCaptureInput.Type>, report: Report) =>
    Effect.sync(() => {
      if (input.ticket_id !== undefined && (platform === null || platform === "app")) {
        report(["ticket_id"], "the site names no helpdesk platform")
      }
    })

export const checkFolderId = Effect.fnUntraced(function* (
  accountId: number,
  folderId: string | null | undefined,
  report: Report
) {
  const store = yield* storeOf("folders")
  if (typeof folderId !== "string") return
  const folder = yield* store.folders.byId(FolderId.make(folderId))
  if (folder?.accountId !== accountId) report(["folder_id"], "is not the id of a folder")
})

export const checkAgentCapture =
  (accountId: number, vendor: string) => (input: Lenient<typeof AgentCaptureInput.Type>, report: Report) =>
    Effect.suspend(() => {
      if (input.helpdesk) checkHelpdesk(input.helpdesk, vendor, within(report, "helpdesk"))
      return checkFolderId(accountId, input.folder_id, report)
    })
