import { FolderId } from "@tapedeck/domain"
import type { Site } from "@tapedeck/domain/capture"
import type { Lenient } from "@tapedeck/domain/input"
import {
  atMost,
  CustomerInput,
  captureDuration,
  HelpdeskInput,
  nullableRecordingTitle,
  nullableTextId,
  object,
  optional,
  type Report,
  recordingTitle,
  text,
  within
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { checkHelpdesk } from "../input/helpdesk.ts"
import { storeOf } from "../store/Store.ts"

const title = recordingTitle("The recording's title.")

export const NoInput = object({}, "Nothing.")

export const FinishInput = object(
  optional({ title, customer: CustomerInput, note: text("The customer's note.").check(atMost(10_000)) }),
  "What is said of a recording at its end."
)

export const SiteCaptureInput = object(
  optional({ title, customer: CustomerInput, ticket_id: text("The ticket.").check(atMost(255)) }),
  "What a site says of a recording."
)

export const AgentCaptureInput = object(
  optional({
    title: nullableRecordingTitle("The recording's title."),
    customer: CustomerInput,
    helpdesk: HelpdeskInput,
    folder_id: nullableTextId("Id of the folder that it enters when it is finished. Default: none."),
    max_duration_seconds: captureDuration
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
