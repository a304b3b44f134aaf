import { applyChanges, type Instant, type Recording, type RecordingParts, type User } from "@tapedeck/domain"
import type { Lenient } from "@tapedeck/domain/input"
import { object, optional, type Report, recordingTitle, within } from "@tapedeck/domain/input"
import { Schema, Struct } from "effect"
import { shown } from "../audit/audited.ts"
import { checkHelpdesk, helpdeskEntryOf, helpdeskFrom } from "../input/helpdesk.ts"
import { RecordingEntry } from "../input/recordingEntry.ts"
import { checkSizes } from "../input/sizes.ts"
import { textFields } from "./recordingInput.ts"

export const RecordingChange = object(
  {
    ...optional({
      user: Schema.NullOr(Schema.String).annotate({
        message: "must be a string or null",
        description: "E-mail address of the owner."
      }),
      title: recordingTitle("Title."),
      ...textFields
    }),
    ...Struct.pick(RecordingEntry.fields, [
      "recording_source",
      "helpdesk",
      "technical_details",
      "v1_platform",
      "console_logs",
      "console_errors",
      "network_errors",
      "browser",
      "os",
      "customer"
    ])
  },
  "What to change of a recording."
)
export type RecordingChange = typeof RecordingChange.Type

/** Reports invalid values, as for a new recording. */
export const checkRecordingChange = (change: Lenient<RecordingChange>, vendor: string, report: Report) => {
  checkSizes(change, report)
  if (change.helpdesk) checkHelpdesk(change.helpdesk, vendor, within(report, "helpdesk"))
}

/** Captured errors, as far as the change gives any. */
export const changedErrors = (change: RecordingChange): Partial<RecordingParts> => ({
  ...(change.console_errors !== undefined && { consoleErrors: change.console_errors }),
  ...(change.network_errors !== undefined && { networkErrors: change.network_errors })
})

/**
 * The recording after a change: the helpdesk as a whole, since its ids belong to its platform; of technical details those
 * that are given. `ownerId` is the user's of the change, if it names one.
 */
export const changedRecording = (
  before: Recording,
  change: RecordingChange,
  { at, ownerId, vendor }: { readonly at: Instant; readonly ownerId: User["id"] | null; readonly vendor: string }
): Recording => {
  const details = change.technical_details ?? {}
  const { technicalDetails: known } = before
  return {
    ...applyChanges(before, Struct.pick(change, ["title", "summary", "description"]), at),
    ownerId,
    source: change.recording_source === undefined ? before.source : change.recording_source,
    helpdesk: change.helpdesk === undefined ? before.helpdesk : helpdeskFrom(change.helpdesk, vendor),
    technicalDetails: {
      vendor: details.vendor === undefined ? known.vendor : details.vendor,
      ipAddress: details.ip_address === undefined ? known.ipAddress : details.ip_address,
      timezone: details.timezone === undefined ? known.timezone : details.timezone,
      networkType: details.network_type === undefined ? known.networkType : details.network_type,
      isp: details.isp === undefined ? known.isp : details.isp
    },
    v1Platform: change.v1_platform === undefined ? before.v1Platform : change.v1_platform,
    consoleLogs: change.console_logs === undefined ? before.consoleLogs : change.console_logs,
    browser: change.browser === undefined ? before.browser : change.browser,
    os: change.os === undefined ? before.os : change.os,
    customerEmail: change.customer?.email === undefined ? before.customerEmail : change.customer.email
  }
}

type Errors = Pick<RecordingParts, "consoleErrors" | "networkErrors">

/** A recording in the form of the audit log: long fields by their length. */
export const auditedRecording = (recording: Recording, owner: User | null, errors: Errors, vendor: string) => ({
  title: shown(recording.title),
  summary: shown(recording.summary),
  description: shown(recording.description),
  user: shown(owner?.email ?? null),
  recording_source: shown(recording.source),
  helpdesk: shown({ ...helpdeskEntryOf(recording.helpdesk, vendor) }),
  technical_details: shown({ ...recording.technicalDetails }),
  v1_platform: shown(recording.v1Platform),
  console_logs: { value: recording.consoleLogs, shown: recording.consoleLogs?.length ?? null },
  console_errors: { value: errors.consoleErrors, shown: errors.consoleErrors?.length ?? null },
  network_errors: { value: errors.networkErrors, shown: errors.networkErrors?.length ?? null },
  browser: shown(recording.browser),
  os: shown(recording.os),
  customer_email: shown(recording.customerEmail)
})
