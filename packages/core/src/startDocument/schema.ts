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
  email,
  flag,
  integer,
  label,
  list,
  nullable,
  nullableText,
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
    id: numericId("Default: the next free one."),
    name: label("Default: `Account`."),
    api_access: flag("Whether the plan includes the API. Default: true.")
  }),
  "An account."
)
export type AccountEntry = typeof AccountEntry.Type

const accountId = numericId("The account's id. Default: the first account.")

const notification = (what: string) => oneOf(NotificationSetting.literals, `${what} Default: \`Enabled\`.`)

/** What a request can carry in `Authorization`. */
const token = text("Access token: any visible ASCII. Default: one from the seed.").check(
  Schema.isPattern(/^[\x21-\x7e]+$/u, { message: "must be visible ASCII characters" })
)

export const UserEntry = object(
  {
    email: email("Unique in a world, without regard to case."),
    name: label("Full name."),
    ...optional({
      id: numericId("Default: the next free one."),
      account: accountId,
      role: oneOf(Role.literals, "Default: `member`."),
      active: flag("A deactivated user's token is refused. Default: true."),
      token,
      notifications: object(
        optional({
          notify_first_view: notification("On the first view of a recording."),
          notify_all_recordings: notification("On every recording of the account."),
          notify_own_recordings: notification("On the user's own recordings.")
        }),
        "What the user is notified of."
      ),
      has_profile_picture: flag("Default: false.")
    })
  },
  "A user, with one access token."
)
export type UserEntry = typeof UserEntry.Type

export const FolderEntry = object(
  {
    name: label("Its name."),
    ...optional({ id: textId("Default: one from the seed."), account: accountId })
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

const webhookUrl = text("`sink:ID`, or the URL of a receiver: HTTPS, in the emulator HTTP too.")

const headers = record(text("Its value."), "Custom headers. Those that the service sets itself are refused.")

export const AutomationEntry = object(
  {
    folder: textId("Id of the folder: every recording that is added to it fires."),
    url: webhookUrl,
    ...optional({
      id: textId("Default: one from the seed."),
      secret: secret("Signs every delivery. Default: one from the seed."),
      method: oneOf(WebhookMethod.literals, "Default: `POST`."),
      headers,
      payload: nullableText("Template of the payload: a JSON text with `{{name}}`. Null: the default payload."),
      enabled: flag("Default: true.")
    })
  },
  "A webhook of a folder."
)
export type AutomationEntry = typeof AutomationEntry.Type

const auditFilters = object(
  optional({
    categories: list(oneOf(AuditCategory.literals, "Category."), "Empty: all."),
    event_types: list(oneOf(AuditEventType.literals, "Event type."), "Empty: all."),
    severities: list(oneOf(AuditSeverity.literals, "Severity."), "Empty: all.")
  }),
  "What is let through: within a list any, between lists all."
)

export const AuditDestinationEntry = object(
  {
    name: label("Label."),
    url: webhookUrl,
    ...optional({
      id: textId("Default: one from the seed."),
      account: accountId,
      description: nullableText("For people."),
      secret: nullable(secret("Signs every delivery."), "Without one, deliveries are not signed.").annotate({
        message: "must be a string or null"
      }),
      headers,
      timeout_seconds: integer(
        "must be an integer from 1 to 300",
        { minimum: 1, maximum: 300 },
        "How long an attempt may take. Default: 30."
      ),
      max_retries: integer(
        `must be an integer from 0 to ${MAX_AUDIT_RETRIES}`,
        { minimum: 0, maximum: MAX_AUDIT_RETRIES },
        "Attempts after the first. Default: 6."
      ),
      filters: auditFilters,
      signature: oneOf(AuditSignature.literals, "How the digest is written. Default: `hex`."),
      enabled: flag("Default: true.")
    })
  },
  "A monitoring system that audit entries are sent to."
)
export type AuditDestinationEntry = typeof AuditDestinationEntry.Type

export const StartDocument = object(
  optional({
    config: PartialWorldConfig.annotate({ description: "The world's knobs; only where a world starts." }),
    account: AccountEntry,
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
