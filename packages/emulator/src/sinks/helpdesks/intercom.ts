import { object, text } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { type HelpdeskAnswer, helpdesk } from "./HelpdeskApi.ts"
import { textOfHtml } from "./shownText.ts"

const errors = (
  status: number,
  all: ReadonlyArray<{ readonly code: string; readonly message: string }>
): HelpdeskAnswer => ({
  status,
  body: { type: "error.list", request_id: null, errors: [...all] }
})

const messageType = "must be comment or note"

/** Conversations API, Reply to a conversation as an admin. A reply with the type `note` is private. */
export const intercom = helpdesk({
  method: "POST",
  path: /^\/conversations\/(\d+)\/reply$/,
  schemes: ["bearer"],
  body: object(
    {
      message_type: Schema.Literals(["comment", "note"]).annotate({ message: messageType }),
      type: Schema.Literal("admin").annotate({ message: "must be admin" }),
      admin_id: text("Id of the admin who writes the reply.").check(
        Schema.isPattern(/^\d+$/, { message: "must be the id of an admin" })
      ),
      body: text("HTML of the reply.")
    },
    "The body."
  ),
  check: ({ body }) => (textOfHtml(body) === "" ? [{ path: "body", message: "is required", kind: "missing" }] : []),
  note: ({ body, message_type }, ticket) => ({ ticket, text: textOfHtml(body), private: message_type === "note" }),
  accepted: ({ ticket }) => ({ status: 200, body: { type: "conversation", id: ticket } }),
  unauthorized: errors(401, [{ code: "unauthorized", message: "Access Token Invalid" }]),
  notFound: errors(404, [{ code: "not_found", message: "Resource Not Found" }]),
  refused: (problems) =>
    errors(
      400,
      problems.map(({ kind, message, path }) => ({
        code: kind === "missing" ? "parameter_not_found" : "parameter_invalid",
        message: path === "" ? message : `${path} ${message}`
      }))
    )
})
