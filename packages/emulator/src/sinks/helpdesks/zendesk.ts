import { flag, object, optional, text } from "@tapedeck/domain/input"
import { helpdesk } from "./HelpdeskApi.ts"
import { linesOf, textOfHtml } from "./shownText.ts"

const Comment = object(
  optional({
    body: text("Text of the comment."),
    html_body: text("HTML of the comment; it replaces `body`."),
    public: flag("Whether the requester sees the comment.")
  }),
  "A comment."
)

const textOf = ({ body = "", html_body: html }: typeof Comment.Type): string =>
  html === undefined ? linesOf(body) : textOfHtml(html)

/** Ticketing API, Update Ticket. A comment without `public` is public. */
export const zendesk = helpdesk({
  method: "PUT",
  path: /^\/api\/v2\/tickets\/(\d+)(?:\.json)?$/,
  schemes: ["basic", "bearer"],
  body: object({ ticket: object({ comment: Comment }, "Changes of the ticket.") }, "The body."),
  check: ({ ticket: { comment } }) =>
    textOf(comment) === ""
      ? [{ path: "ticket.comment", message: "Description: cannot be blank", kind: "missing" }]
      : [],
  note: ({ ticket: { comment } }, ticket) => ({
    ticket,
    text: textOf(comment),
    private: comment.public === false
  }),
  accepted: ({ private: isPrivate, ticket }, number) => ({
    status: 200,
    body: {
      ticket: { id: Number(ticket) },
      audit: { id: number, ticket_id: Number(ticket), events: [{ type: "Comment", public: !isPrivate }] }
    }
  }),
  unauthorized: { status: 401, body: { error: "Couldn't authenticate you" } },
  notFound: { status: 404, body: { error: "RecordNotFound", description: "Not found" } },
  refused: (problems) => ({
    status: 422,
    body: {
      error: "RecordInvalid",
      description: "Record validation errors",
      details: Object.fromEntries(
        problems.map(({ message, path }) => [path === "" ? "base" : path, [{ description: message }]])
      )
    }
  })
})
