import {
  AuditCategory,
  AuditEventType,
  AuditSeverity,
  AuditSignature,
  MAX_AUDIT_RETRIES,
  NotificationSetting,
  Role,
  WebhookMethod
} from "@tapedeck/domain"
import { Schema } from "effect"
import { PartialWorldConfig } from "../worldConfig.ts"
import {
  atMost,
  email,
  flag,
  integer,
  label,
  list,
  nullable,
  nullableText,
  nullableTextUpTo,
  numericId,
  object,
  oneOf,
  optional,
  record,
  secret,
  text,
  textId
} from "./fields.ts"
import { Outcome, respondWith } from "./outcome.ts"
import { RecordingEntry } from "./recordingSchema.ts"

/**
 * A start document (emulator.md, Start document): what a world holds before anything happens in it. These schemas say
 * which keys there are and what each may be; what depends on other entries, on the world or on the vendor is `check.ts`'s.
 * Nothing is transformed: what comes out is what went in.
 */
export const AccountEntry = object(
  optional({
    id: numericId("Id of the account. Default: the next free one."),
    name: label("Name of the account. Default: `Account`."),
    api_access: flag("Whether the plan includes the API. Default: true.")
  }),
  "An account."
)
export type AccountEntry = typeof AccountEntry.Type

const accountId = numericId("Id of the account. Default: that of the first account.")

const notification = (what: string) => oneOf(NotificationSetting.literals, `${what} Default: \`Enabled\`.`)

/** What a request can carry in `Authorization`. */
const token = text("Access token: any visible ASCII. Default: one from the seed.").check(
  Schema.isPattern(/^[\x21-\x7e]+$/u, { message: "must be visible ASCII characters" })
)

export const UserEntry = object(
  {
    email: email("E-mail address, unique in a world without regard to case.").check(atMost(254)),
    name: label("Full name."),
    ...optional({
      id: numericId("Id of the user. Default: the next free one."),
      account: accountId,
      role: oneOf(Role.literals, "Role in the account. Default: `member`."),
      active: flag("Whether the user is active: a deactivated user's token is refused. Default: true."),
      token,
      notifications: object(
        optional({
          notify_first_view: notification("On the first view of a recording."),
          notify_all_recordings: notification("On every recording of the account."),
          notify_own_recordings: notification("On the user's own recordings.")
        }),
        "What the user is notified of. Default: everything."
      ),
      has_profile_picture: flag("Whether the user has a profile picture. Default: false.")
    })
  },
  "A user, with one access token."
)
export type UserEntry = typeof UserEntry.Type

export const FolderEntry = object(
  {
    name: label("Name of the folder."),
    ...optional({ id: textId("Id of the folder. Default: one from the seed."), account: accountId })
  },
  "A folder."
)
export type FolderEntry = typeof FolderEntry.Type

const SinkId = text("The sink's name: `sink:ID` is its URL. Default: the next free one.").check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._~-]*$/u, {
    message: "must be letters, digits, and . _ ~ - after the first"
  })
)

export const SinkEntry = object(
  optional({ id: SinkId, respond: respondWith(Outcome) }),
  "A receiver inside the emulator. It answers 200 unless told otherwise."
)
export type SinkEntry = typeof SinkEntry.Type

const webhookUrl = text("`sink:ID`, or the URL of a receiver: HTTPS, in the emulator HTTP too.").check(atMost(2048))

const headers = record(
  text("Its value."),
  "Custom headers of the request. Those that the service sets itself are refused. Default: none."
)

export const AutomationEntry = object(
  {
    folder: textId("Id of the folder: every recording that is added to it fires."),
    url: webhookUrl,
    ...optional({
      id: textId("Id of the automation. Default: one from the seed."),
      secret: secret("Signs every delivery. Default: one from the seed."),
      method: oneOf(WebhookMethod.literals, "HTTP method. Default: `POST`."),
      headers,
      payload: nullableText("Template of the payload: a JSON text with `{{name}}`.", "null, the default payload"),
      enabled: flag("Whether it makes deliveries. Default: true.")
    })
  },
  "A webhook of a folder."
)
export type AutomationEntry = typeof AutomationEntry.Type

const auditFilters = object(
  optional({
    categories: list(oneOf(AuditCategory.literals, "Category."), "Empty: all. Default: empty."),
    event_types: list(oneOf(AuditEventType.literals, "Event type."), "Empty: all. Default: empty."),
    severities: list(oneOf(AuditSeverity.literals, "Severity."), "Empty: all. Default: empty.")
  }),
  "The audit entries that are sent: those that match one item of each list. Default: all."
)

export const AuditDestinationEntry = object(
  {
    name: label("Name of the destination."),
    url: webhookUrl,
    ...optional({
      id: textId("Id of the destination. Default: one from the seed."),
      account: accountId,
      description: nullableTextUpTo(1000, "Description, shown to people only. Default: null."),
      secret: nullable(
        secret("Signs every delivery."),
        "Signs every delivery. Default: null, deliveries are not signed."
      ).annotate({
        message: "must be a string or null"
      }),
      headers,
      timeout_seconds: integer(
        "must be an integer from 1 to 300",
        { minimum: 1, maximum: 300 },
        "Maximum time of an attempt, in seconds. Default: 30."
      ),
      max_retries: integer(
        `must be an integer from 0 to ${MAX_AUDIT_RETRIES}`,
        { minimum: 0, maximum: MAX_AUDIT_RETRIES },
        "Attempts after the first. Default: 6."
      ),
      filters: auditFilters,
      signature: oneOf(AuditSignature.literals, "How the digest is written. Default: `hex`."),
      enabled: flag("Whether it makes deliveries. Default: true.")
    })
  },
  "A monitoring system that audit entries are sent to."
)
export type AuditDestinationEntry = typeof AuditDestinationEntry.Type

export const StartDocument = object(
  optional({
    config: PartialWorldConfig.annotate({
      description: "Settings of the world. They are accepted only where a world starts."
    }),
    account: AccountEntry.annotate({ description: "The account. Default: one named `Account`." }),
    accounts: list(AccountEntry, "Several accounts, in place of `account`."),
    users: list(UserEntry, "Users."),
    recordings: list(RecordingEntry, "Recordings."),
    folders: list(FolderEntry, "Folders."),
    sinks: list(SinkEntry, "Receivers inside the emulator."),
    automations: list(AutomationEntry, "Webhooks of folders."),
    audit_destinations: list(AuditDestinationEntry, "Webhooks of the audit log.")
  }),
  "What a world holds before anything happens in it. It fires nothing and makes no audit entry."
).annotate({ message: "a start document must be an object" })
export type StartDocument = typeof StartDocument.Type

/** The JSON Schema (draft 2020-12) of a start document, without references; made when it is asked for. */
export const startDocumentJsonSchema = () =>
  Schema.toJsonSchemaDocument(StartDocument, { onExcessProperty: "error" }).schema
