import { FolderId } from "@tapedeck/domain"
import { type Capture, isAgents, type Site } from "@tapedeck/domain/capture"
import {
  type CaptureInput,
  type FinishInput,
  type Lenient,
  type Report,
  type SiteCaptureInput,
  within
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { checkHelpdesk } from "../input/helpdesk.ts"
import { storeOf } from "../store/Store.ts"

export const checkSiteCapture =
  ({ platform }: Site) =>
  (input: Lenient<SiteCaptureInput>, report: Report) =>
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
  (accountId: number, vendor: string) =>
  (input: Lenient<Pick<CaptureInput, "folder_id" | "helpdesk">>, report: Report) =>
    Effect.suspend(() => {
      if (input.helpdesk) checkHelpdesk(input.helpdesk, vendor, within(report, "helpdesk"))
      return checkFolderId(accountId, input.folder_id, report)
    })

const agentsFields = ["helpdesk", "folder_id"] as const

/** Reports what a customer may not say of the recording, and what an agent says wrongly. */
export const checkFinish = (capture: Capture, vendor: string) => (input: Lenient<FinishInput>, report: Report) =>
  Effect.suspend(() => {
    if (isAgents(capture)) return checkAgentCapture(capture.accountId, vendor)(input, report)
    for (const field of agentsFields) {
      if (input[field] !== undefined) report([field], "can be set for a capture of an agent only")
    }
    return Effect.void
  })
