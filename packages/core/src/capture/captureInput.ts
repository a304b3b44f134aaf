import { FolderId } from "@tapedeck/domain"
import type { Site } from "@tapedeck/domain/capture"
import { type CaptureInput, type Lenient, type Report, type SiteCaptureInput, within } from "@tapedeck/domain/input"
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
  (accountId: number, vendor: string) => (input: Lenient<CaptureInput>, report: Report) =>
    Effect.suspend(() => {
      if (input.helpdesk) checkHelpdesk(input.helpdesk, vendor, within(report, "helpdesk"))
      return checkFolderId(accountId, input.folder_id, report)
    })
