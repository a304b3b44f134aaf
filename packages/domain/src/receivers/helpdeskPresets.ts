import type { HelpdeskPlatform } from "../recordings/helpdesk.ts"
import { helpdeskLabels } from "../recordings/helpdesks.ts"
import type { WebhookMethod } from "./Automation.ts"

/** A value that an admin enters for a preset. */
export interface PresetField {
  readonly name: string
  readonly label: string
  readonly placeholder: string
  /** True for a credential. It becomes part of a header, whose value is masked once the automation is saved. */
  readonly isSecret?: true
  /** True for the address of the helpdesk's API, an `https:` origin. */
  readonly isAddress?: true
}

type Authorization =
  | { readonly scheme: "Basic"; readonly user: string; readonly password: string }
  | { readonly scheme: "Bearer"; readonly token: string }

/**
 * Settings of an automation that adds a private note to the ticket of a recording, in one helpdesk, by its public API. In `url`,
 * `authorization` and `payload`, `<name>` stands for the value of a field. A preset is a start: a saved automation has no link to it.
 */
export interface HelpdeskPreset {
  readonly platform: HelpdeskPlatform
  readonly method: WebhookMethod
  readonly url: string
  readonly fields: ReadonlyArray<PresetField>
  readonly authorization: Authorization
  readonly headers?: Readonly<Record<string, string>>
  readonly payload: string
  /** Sentences for the admin: where to get the credentials, what a repeated attempt does. */
  readonly help: string
  /** Address of the API's documentation. */
  readonly documentation: string
}

const address = (placeholder: string): PresetField => ({
  name: "address",
  label: "Address",
  placeholder,
  isAddress: true
})
const secret = (label: string): PresetField => ({ name: "secret", label, placeholder: "", isSecret: true })
const text = (name: string, label: string, placeholder: string): PresetField => ({ name, label, placeholder })

/** A variable in HTML, or as plain text. */
const html = (name: string) => `{{recording.${name} | html}}`
const plain = (name: string) => `{{recording.${name}}}`

/** The number of errors and the first one; nothing follows the number 0. */
const errors = (first: string) => `Errors: ${plain("errors_count")}. ${first}`

/** The note in HTML: title with link, still image, length, first error, start of the transcript. */
const htmlNote = [
  `<p><b><a href='${html("url")}'>Recording: ${html("title")}</a></b> (${plain("duration")} s)</p>`,
  `<p><a href='${html("url")}'><img src='${html("thumbnail_url")}' alt='Still image of the recording' width='320'></a></p>`,
  `<p>${errors(html("first_error"))}</p>`,
  `<p>${html("transcript_start")}</p>`
].join("")

/** The same for helpdesks that show no images in a note. */
const shortHtmlNote = [
  `<p><b><a href='${html("url")}'>Recording: ${html("title")}</a></b> (${plain("duration")} s)</p>`,
  `<p>${errors(html("first_error"))}</p>`,
  `<p>${html("transcript_start")}</p>`
].join("")

const plainNote = [
  `Recording: ${plain("title")} (${plain("duration")} s)`,
  plain("url"),
  errors(plain("first_error")),
  plain("transcript_start")
].join("\n")

const payload = (value: unknown): string => JSON.stringify(value, null, 2)

/** Text in the Atlassian Document Format, which refuses an empty text: each has a constant part. */
const adfText = (content: string, href?: string) => ({
  type: "text",
  text: content,
  ...(href !== undefined && { marks: [{ type: "link", attrs: { href } }] })
})

const adfParagraph = (...content: ReadonlyArray<object>) => ({ type: "paragraph", content })

const repeats = "The API cannot recognise a repeated request: an attempt whose answer was lost adds the note again."

const presets = {
  zendesk: {
    method: "PUT",
    url: "<address>/api/v2/tickets/{{recording.ticket_id}}.json",
    fields: [
      address("https://acme.zendesk.com"),
      text("user", "E-mail address of the agent", "agent@acme.com"),
      secret("API token")
    ],
    authorization: { scheme: "Basic", user: "<user>/token", password: "<secret>" },
    payload: payload({ ticket: { comment: { html_body: htmlNote, public: false } } }),
    help: `Create an API token in the Admin Center, Apps and integrations, APIs. ${repeats}`,
    documentation: "https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#update-ticket"
  },
  intercom: {
    method: "POST",
    url: "<address>/conversations/{{recording.ticket_id}}/reply",
    fields: [
      address("https://api.intercom.io"),
      text("admin", "Id of the admin who writes the note", "1234567"),
      secret("Access token")
    ],
    authorization: { scheme: "Bearer", token: "<secret>" },
    headers: { "Intercom-Version": "2.11" },
    payload: payload({ message_type: "note", type: "admin", admin_id: "<admin>", body: htmlNote }),
    help: `Create an app in the Developer Hub; its access token is under Authentication. ${repeats}`,
    documentation:
      "https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations/replyconversation"
  },
  freshdesk: {
    method: "POST",
    url: "<address>/api/v2/tickets/{{recording.ticket_id}}/notes",
    fields: [address("https://acme.freshdesk.com"), secret("API key")],
    authorization: { scheme: "Basic", user: "<secret>", password: "X" },
    payload: payload({ body: htmlNote, private: true }),
    help: `The API key is in the profile settings of the agent who writes the note. ${repeats}`,
    documentation: "https://developers.freshdesk.com/api/#add_note_to_a_ticket"
  },
  freshdesk_chat: {
    method: "POST",
    url: "<address>/v2/conversations/{{recording.ticket_id}}/messages",
    fields: [
      address("https://acme.freshchat.com"),
      text("agent", "Id of the agent who writes the note", "5a1b2c3d-…"),
      secret("API token")
    ],
    authorization: { scheme: "Bearer", token: "<secret>" },
    payload: payload({
      message_parts: [{ text: { content: plainNote } }],
      message_type: "private",
      actor_type: "agent",
      actor_id: "<agent>"
    }),
    help: `The API token is in the admin settings under API Tokens. ${repeats}`,
    documentation: "https://developers.freshchat.com/api/#send_message_to_conversation"
  },
  freshservice: {
    method: "POST",
    url: "<address>/api/v2/tickets/{{recording.ticket_id}}/notes",
    fields: [address("https://acme.freshservice.com"), secret("API key")],
    authorization: { scheme: "Basic", user: "<secret>", password: "X" },
    payload: payload({ body: htmlNote, private: true }),
    help: `The API key is in the profile settings of the agent who writes the note. ${repeats}`,
    documentation: "https://api.freshservice.com/#create_ticket_note"
  },
  helpscout: {
    method: "POST",
    url: "<address>/v2/conversations/{{recording.ticket_id}}/notes",
    fields: [address("https://api.helpscout.net"), secret("OAuth access token")],
    authorization: { scheme: "Bearer", token: "<secret>" },
    payload: payload({ text: shortHtmlNote }),
    help: `Help Scout's access tokens are valid for two days: replace the header when it expires, or send to a service of yours that has a token. ${repeats}`,
    documentation: "https://developer.helpscout.com/mailbox-api/endpoints/conversations/threads/note/"
  },
  hubspot: {
    method: "POST",
    url: "<address>/crm/v3/objects/notes",
    fields: [address("https://api.hubapi.com"), secret("Access token of a private app")],
    authorization: { scheme: "Bearer", token: "<secret>" },
    payload: payload({
      properties: { hs_timestamp: "{{timestamp}}", hs_note_body: shortHtmlNote },
      associations: [
        {
          to: { id: plain("ticket_id") },
          types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 228 }]
        }
      ]
    }),
    help: `Create a private app with the scopes of tickets and notes. ${repeats}`,
    documentation: "https://developers.hubspot.com/docs/api-reference/crm-notes-v3/guide"
  },
  jira: {
    method: "POST",
    url: "<address>/rest/api/3/issue/{{recording.ticket_id}}/comment",
    fields: [
      address("https://acme.atlassian.net"),
      text("user", "E-mail address of the user", "agent@acme.com"),
      secret("API token")
    ],
    authorization: { scheme: "Basic", user: "<user>", password: "<secret>" },
    payload: payload({
      body: {
        type: "doc",
        version: 1,
        content: [
          adfParagraph(adfText(`Recording: ${plain("title")}`, plain("url")), adfText(` (${plain("duration")} s)`)),
          adfParagraph(adfText(errors(plain("first_error")))),
          adfParagraph(adfText(`Transcript: ${plain("transcript_start")}`))
        ]
      },
      properties: [{ key: "sd.public.comment", value: { internal: true } }]
    }),
    help: `Create an API token in the security settings of the Atlassian account. In Jira Service Management the comment is internal; elsewhere all users of the project see it. ${repeats}`,
    documentation: "https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/"
  }
} as const satisfies Readonly<Record<HelpdeskPlatform, Omit<HelpdeskPreset, "platform">>>

/** The presets, one for each helpdesk. */
export const helpdeskPresets: ReadonlyArray<HelpdeskPreset> = Object.entries(presets).map(([platform, preset]) => ({
  platform: platform as HelpdeskPlatform,
  ...preset
}))

/** Returns the name of a preset's helpdesk. */
export const presetLabel = ({ platform }: Pick<HelpdeskPreset, "platform">): string => helpdeskLabels[platform]

/** Settings that a preset and the values of its fields give. */
export interface PresetSettings {
  readonly url: string
  readonly method: WebhookMethod
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** Maximum length of the value of a field. */
const MAX_FIELD_LENGTH = 1_000

const fieldProblem = ({ isAddress, label, placeholder }: PresetField, value: string): string | undefined => {
  if (value === "") return `${label} is required`
  if (value.length > MAX_FIELD_LENGTH) return `${label} must be at most ${MAX_FIELD_LENGTH} characters long`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: headers must not have them
  if (/[\u0000-\u001f\u007f{}]/.test(value)) return `${label} must not contain braces or control characters`
  if (isAddress !== true) return undefined
  return URL.canParse(value) && new URL(value).origin === value && value.startsWith("https://")
    ? undefined
    : `${label} must be an https address without a path, such as ${placeholder}`
}

/** Returns the first problem of each field that has one, by the name of the field. */
export const presetProblems = (
  { fields }: HelpdeskPreset,
  values: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const problem = fieldProblem(field, trimmed(field, values))
      return problem === undefined ? [] : [[field.name, problem]]
    })
  )

/** A value as it was meant: without spaces around it, and an address without the slash at its end. */
const trimmed = ({ isAddress, name }: PresetField, values: Readonly<Record<string, string>>): string => {
  const value = (values[name] ?? "").trim()
  return isAddress === true && value.endsWith("/") ? value.slice(0, -1) : value
}

const base64 = (value: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(value)))

/** Returns the settings of an automation, for values without problems. */
export const presetSettings = (preset: HelpdeskPreset, values: Readonly<Record<string, string>>): PresetSettings => {
  // In one pass: a value that looks like the name of another field stays as it is.
  const filled = (template: string, write: (value: string) => string = (value) => value) =>
    template.replace(/<([a-z]+)>/g, (whole, name: string) => {
      const field = preset.fields.find((one) => one.name === name)
      return field === undefined ? whole : write(trimmed(field, values))
    })
  const { authorization, headers = {}, method } = preset
  const credentials =
    authorization.scheme === "Bearer"
      ? filled(authorization.token)
      : base64(`${filled(authorization.user)}:${filled(authorization.password)}`)
  return {
    url: filled(preset.url),
    method,
    headers: { ...headers, Authorization: `${authorization.scheme} ${credentials}` },
    payload: filled(preset.payload, (value) => JSON.stringify(value).slice(1, -1))
  }
}
