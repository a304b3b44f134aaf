import { flag, list, numericId, object, optional, text } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { type BodyProblem, type HelpdeskAnswer, type HelpdeskNote, helpdesk } from "./HelpdeskApi.ts"
import { linesOf, textOfHtml } from "./shownText.ts"

/** Codes of Freshdesk's and Freshservice's errors of fields. */
const codes = { missing: "missing_field", invalid: "invalid_value", unknown: "invalid_field" } as const

const validationFailed = (problems: ReadonlyArray<BodyProblem>): HelpdeskAnswer => ({
  status: 400,
  body: {
    description: "Validation failed",
    errors: problems.map(({ kind, message, path }) => ({
      field: path,
      message: kind === "unknown" ? "Unexpected/invalid field in request" : message,
      code: codes[kind]
    }))
  }
})

/** The operations of Freshdesk and Freshservice that create a note have the same request. A note is private by default. */
const notesOf = (accepted: (note: HelpdeskNote, number: number) => HelpdeskAnswer) =>
  helpdesk({
    method: "POST",
    path: /^\/api\/v2\/tickets\/(\d+)\/notes$/,
    schemes: ["basic"],
    body: object(
      {
        body: text("HTML of the note."),
        ...optional({
          private: flag("Whether only agents see the note."),
          incoming: flag("Whether the note appears as created from outside."),
          user_id: numericId("Id of the agent who writes the note."),
          notify_emails: list(text("E-mail address."), "Agents to notify.")
        })
      },
      "The body."
    ),
    refusesUnknown: true,
    check: ({ body }) =>
      textOfHtml(body) === "" ? [{ path: "body", message: "It should not be blank", kind: "invalid" }] : [],
    note: (note, ticket) => ({ ticket, text: textOfHtml(note.body), private: note.private !== false }),
    accepted,
    unauthorized: {
      status: 401,
      body: { code: "invalid_credentials", message: "You have to be logged in to perform this action." }
    },
    notFound: { status: 404 },
    refused: validationFailed
  })

const noteFields = ({ private: isPrivate, text: bodyText, ticket }: HelpdeskNote, number: number) => ({
  id: number,
  ticket_id: Number(ticket),
  body_text: bodyText,
  private: isPrivate
})

/** Freshdesk API v2, Create a Note. */
export const freshdesk = notesOf((note, number) => ({ status: 201, body: noteFields(note, number) }))

/** Freshservice API v2, Create a Note. */
export const freshservice = notesOf((note, number) => ({
  status: 201,
  body: { conversation: noteFields(note, number) }
}))

const Part = object({ text: object({ content: text("Plain text.") }, "Text of the part.") }, "A part of a message.")

const freshchatError = (code: number, status: string, message: string): HelpdeskAnswer => ({
  status: code,
  body: { code, status, message }
})

/** Freshchat API v2, Send a message to a conversation. A message with the type `private` is a note of agents. */
export const freshchat = helpdesk({
  method: "POST",
  path: /^\/v2\/conversations\/([\w-]+)\/messages$/,
  schemes: ["bearer"],
  body: object(
    {
      message_parts: list(Part, "Parts of the message.").check(
        Schema.isMinLength(1, { message: "must have at least one part" })
      ),
      message_type: Schema.optionalKey(
        Schema.Literals(["normal", "private"]).annotate({ message: "must be normal or private" })
      ),
      actor_type: Schema.Literals(["agent", "user"]).annotate({ message: "must be agent or user" }),
      actor_id: text("Id of the sender.").check(Schema.isNonEmpty({ message: "must not be empty" }))
    },
    "The body."
  ),
  note: ({ message_parts, message_type }, ticket) => ({
    ticket,
    text: linesOf(message_parts.map((part) => part.text.content).join("\n")),
    private: message_type === "private"
  }),
  accepted: ({ ticket }, number) => ({ status: 201, body: { id: `message-${number}`, conversation_id: ticket } }),
  unauthorized: freshchatError(401, "UNAUTHENTICATED", "The access token is missing or invalid"),
  notFound: freshchatError(404, "NOT_FOUND", "No such conversation"),
  refused: (problems) =>
    freshchatError(400, "INVALID_VALUE", problems.map(({ message, path }) => `${path} ${message}`.trim()).join("; "))
})
