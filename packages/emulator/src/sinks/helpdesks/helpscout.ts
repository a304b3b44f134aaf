import { flag, list, natural, object, optional, text } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { helpdesk } from "./HelpdeskApi.ts"
import { textOfHtml } from "./shownText.ts"

/** Inbox API 2.0, Create Note. A note is always private. */
export const helpscout = helpdesk({
  method: "POST",
  path: /^\/v2\/conversations\/(\d+)\/notes$/,
  schemes: ["bearer"],
  body: object(
    {
      text: text("HTML of the note."),
      ...optional({
        user: natural("Id of the user who writes the note."),
        status: text("Status of the conversation after the note."),
        imported: flag("Whether the note is imported."),
        createdAt: text("Time of an imported note."),
        attachments: list(Schema.Unknown, "Attachments.")
      })
    },
    "The body."
  ),
  check: (note) =>
    textOfHtml(note.text) === "" ? [{ path: "text", message: "may not be empty", kind: "missing" }] : [],
  note: (note, ticket) => ({ ticket, text: textOfHtml(note.text), private: true }),
  accepted: (_, number) => ({ status: 201, headers: { "Resource-ID": String(number) } }),
  unauthorized: {
    status: 401,
    body: { error: "invalid_token", error_description: "The access token is invalid or has expired" }
  },
  notFound: { status: 404, body: { message: "Not found" } },
  refused: (problems) => ({
    status: 400,
    body: {
      message: "Bad request",
      _embedded: { errors: problems.map(({ message, path }) => ({ path, message, source: "JSON" })) }
    }
  })
})
