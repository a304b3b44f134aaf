import { atMost, instant, list, object, text } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { type HelpdeskAnswer, helpdesk } from "./HelpdeskApi.ts"
import { textOfHtml } from "./shownText.ts"

/** HubSpot's type of the association of a note with a ticket. */
const NOTE_TO_TICKET = 228

const Association = object(
  {
    to: object(
      { id: Schema.Union([Schema.String, Schema.Number]).annotate({ message: "must be an id" }) },
      "The record."
    ),
    types: list(
      object(
        {
          associationCategory: text("Category of the association."),
          associationTypeId: Schema.Number.annotate({ message: "must be a number" })
        },
        "Type of the association."
      ),
      "Types of the association."
    )
  },
  "Association with a record."
)

const error = (status: number, category: string, message: string): HelpdeskAnswer => ({
  status,
  body: { status: "error", message, category }
})

/** CRM API v3, Create a note. A note is visible to users of HubSpot only. */
export const hubspot = helpdesk({
  method: "POST",
  path: /^\/crm\/v3\/objects\/notes$/,
  schemes: ["bearer"],
  body: object(
    {
      properties: object(
        {
          hs_timestamp: instant("Time of the note."),
          hs_note_body: text("HTML of the note.").check(atMost(65_536))
        },
        "Properties of the note."
      ),
      associations: list(Association, "Records that have the note.")
    },
    "The body."
  ),
  check: ({ associations }) =>
    associations.some(({ types }) =>
      types.some(
        ({ associationCategory, associationTypeId }) =>
          associationCategory === "HUBSPOT_DEFINED" && associationTypeId === NOTE_TO_TICKET
      )
    )
      ? []
      : [{ path: "associations", message: "none is a ticket", kind: "invalid" }],
  note: ({ associations, properties }) => ({
    ticket: String(
      associations.find(({ types }) => types.some((type) => type.associationTypeId === NOTE_TO_TICKET))?.to.id
    ),
    text: textOfHtml(properties.hs_note_body),
    private: true
  }),
  accepted: (_, number) => ({ status: 201, body: { id: String(number), archived: false } }),
  unauthorized: error(401, "INVALID_AUTHENTICATION", "Authentication credentials not found."),
  notFound: error(404, "OBJECT_NOT_FOUND", "resource not found"),
  refused: (problems) =>
    error(
      400,
      "VALIDATION_ERROR",
      `Invalid input JSON: ${problems.map(({ message, path }) => `${path} ${message}`.trim()).join("; ")}`
    )
})
