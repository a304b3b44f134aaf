import { Provider as DomainProvider } from "@tapedeck/domain"
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

/** Message of a `page` that is not a page number. */
const notAPage = "must be an integer of at least 1"

/**
 * A page number in a query string: digits only, so that `1e2`, `1.0` and ` 1` are refused. Numbers beyond
 * the largest safe integer are refused, too, because JavaScript would round them.
 */
export const PageNumber = Schema.String.annotate({
  description: "Number of the page, counted from 1. A page after the last one is empty."
}).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transformEffect({
      decode: (text: string) => {
        const page = /^[0-9]+$/.test(text) ? Number(text) : 0
        return Number.isSafeInteger(page) && page >= 1
          ? Effect.succeed(page)
          : Effect.fail(new SchemaIssue.InvalidValue({ message: notAPage }))
      },
      encode: (page: number) => Effect.succeed(String(page))
    })
  )
)

/**
 * A recording's UUID in a path. Any text decodes: text that is not a UUID is a recording that does not exist, and errors of the
 * query are reported before that.
 */
export const RecordingUuidParameter = Schema.String.annotate({
  description: "UUID of the recording, case-insensitive.",
  format: "uuid",
  examples: ["7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"]
})

const TicketId = Schema.String.check(Schema.isNonEmpty({ message: "must not be empty" })).annotate({
  description:
    "Exact id of a helpdesk ticket, conversation, issue or object. Finds recordings whose normalized " +
    "`metadata.helpdesk_info.ticket_id` or `active_ticket_id` is equal to it."
})

const Provider = DomainProvider.annotate({
  description: "Helpdesk of the `ticket_id`, without which it is not allowed. `freshchat` means `freshdesk_chat`.",
  message: `must be one of ${DomainProvider.literals.join(", ")}`,
  examples: ["zendesk"]
})

/** Query parameters of the list of recordings (GET /recordings). */
export const RecordingQuery = Schema.Struct({
  page: Schema.optionalKey(PageNumber),
  ticket_id: Schema.optionalKey(TicketId),
  provider: Schema.optionalKey(Provider)
}).check(
  Schema.makeFilter((query) =>
    query.provider !== undefined && query.ticket_id === undefined
      ? { path: ["provider"], issue: "needs a ticket_id" }
      : undefined
  )
)

export const PageQuery = Schema.Struct({ page: Schema.optionalKey(PageNumber) })

/** A local part, an `@`, and a domain; a pattern cannot check whether mail arrives. */
const emailPattern = /^[^\s@]+@[^\s@]+$/

export const UserSearchQuery = Schema.Struct({
  email: Schema.String.check(Schema.isPattern(emailPattern, { message: "must be an e-mail address" }))
    .annotate({
      description: "E-mail address of the user, case-insensitive.",
      format: "email",
      examples: ["ada@acme.test"]
    })
    .annotateKey({ messageMissingKey: "is missing" })
})
