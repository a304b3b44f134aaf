import { settings } from "@tapedeck/contract"
import { DestinationSettings, Explanations, now } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { wirePagination } from "../wire/pagination.ts"
import { executionLog } from "./executionLog.ts"
import { refused } from "./refusals.ts"
import { webhookHandlers } from "./webhooks.ts"
import { wireEventExplanation } from "./wire/explanation.ts"
import { wireDestination } from "./wire/webhook.ts"

const webhook = webhookHandlers(DestinationSettings, wireDestination)
const log = executionLog("audit_destination")

/** The monitoring systems that audit entries are sent to, and their execution logs (Events). */
export const destinations = HttpApiBuilder.group(settings.Api, "audit_destinations", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* DestinationSettings
        const page = yield* list(yield* CurrentCaller, query.page ?? 1)
        const at = yield* now
        const wire = page.items.map((one) => wireDestination(one, at))
        return { pagination: wirePagination(page.pagination), audit_destinations: wire }
      })
    )
    .handleRaw("create", webhook.create)
    .handle("read", webhook.read)
    .handleRaw("update", webhook.update)
    .handle("delete", webhook.remove)
    .handle("view_secret", webhook.viewSecret)
    .handleRaw("rotate_secret", webhook.rotateSecret)
    .handle(
      "remove_secret",
      Effect.fnUntraced(function* ({ params }) {
        const { removeSecret } = yield* DestinationSettings
        return yield* Effect.mapError(removeSecret(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle("test", webhook.test)
    .handle("deliveries", log.list)
    .handle("delivery", log.get)
    .handle("redeliver", log.redeliver)
    .handle(
      "explain",
      Effect.fnUntraced(function* ({ params, query }) {
        const explanations = yield* Explanations
        const found = explanations.destination(yield* CurrentCaller, params.id, query.audit_entry)
        return wireEventExplanation(yield* Effect.mapError(found, refused))
      })
    )
)
