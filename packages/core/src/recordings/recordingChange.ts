import { applyChanges, type Instant, type Recording, type RecordingParts, type User } from "@tapedeck/domain"
import { type Lenient, type RecordingChange, type Report, within } from "@tapedeck/domain/input"
import { generatedFields, writtenByPerson } from "@tapedeck/domain/internal/recordings"
import { Struct } from "effect"
import { plainField } from "../audit/audited.ts"
import { checkHelpdesk, helpdeskEntryOf, helpdeskFrom } from "../input/helpdesk.ts"

/** Reports invalid values, as for a new recording. */
export const checkRecordingChange = (change: Lenient<RecordingChange>, vendor: string, report: Report) => {
  if (change.helpdesk) checkHelpdesk(change.helpdesk, vendor, within(report, "helpdesk"))
}

type Errors = Pick<RecordingParts, "consoleErrors" | "networkErrors">

/** Captured errors, as far as the change gives any. */
export const changedErrors = (change: RecordingChange): Partial<Errors> => ({
  ...(change.console_errors !== undefined && { consoleErrors: change.console_errors }),
  ...(change.network_errors !== undefined && { networkErrors: change.network_errors })
})

/** A text that the change names is a person's from then on, even if it is the same. */
const withPersonTexts = (before: Recording, change: RecordingChange): Recording =>
  writtenByPerson(
    before,
    generatedFields.filter((field) => change[field] !== undefined)
  )

/**
 * The recording after a change: the helpdesk as a whole, since its ids belong to its platform; of the technical details, the fields of
 * the change. `ownerId` is the user that the change names, if any.
 */
export const changedRecording = (
  before: Recording,
  change: RecordingChange,
  { at, ownerId, vendor }: { readonly at: Instant; readonly ownerId: User["id"] | null; readonly vendor: string }
): Recording => {
  const details = change.technical_details ?? {}
  const { technicalDetails: known } = before
  return {
    ...applyChanges(withPersonTexts(before, change), Struct.pick(change, ["title", "summary", "description"]), at),
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

/** A recording in the form of the audit log: long fields by their length. */
export const auditedRecording = (
  recording: Recording,
  owner: User | null,
  errors: Partial<Errors>,
  vendor: string
) => ({
  title: plainField(recording.title),
  summary: plainField(recording.summary),
  generated: plainField(generatedFields.filter((field) => recording.generated?.[field] === true).join(", ") || null),
  description: plainField(recording.description),
  user: plainField(owner?.email ?? null),
  recording_source: plainField(recording.source),
  helpdesk: plainField({ ...helpdeskEntryOf(recording.helpdesk, vendor) }),
  technical_details: plainField({ ...recording.technicalDetails }),
  v1_platform: plainField(recording.v1Platform),
  console_logs: { value: recording.consoleLogs, shown: recording.consoleLogs?.length ?? null },
  console_errors: { value: errors.consoleErrors ?? null, shown: errors.consoleErrors?.length ?? null },
  network_errors: { value: errors.networkErrors ?? null, shown: errors.networkErrors?.length ?? null },
  browser: plainField(recording.browser),
  os: plainField(recording.os),
  customer_email: plainField(recording.customerEmail)
})
