import { settings } from "@tapedeck/contract"
import { DestinationSettings, Explanations, now } from "@tapedeck/core"
import type { AuditDestination } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { secretJson } from "../responses.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody, optionalObjectBody } from "./body.ts"
import { executionLog } from "./executionLog.ts"
import { refused } from "./refusals.ts"
import { wireTest } from "./wire/delivery.ts"
import { wireEventExplanation } from "./wire/explanation.ts"
import { wireDestination, wireSecret } from "./wire/webhook.ts"

const shown = <E, R>(destination: Effect.Effect<AuditDestination, E, R>) =>
  Effect.zipWith(destination, now, wireDestination)

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
    .handleRaw(
      "create",
      Effect.fnUntraced(function* ({ request }) {
        const { create } = yield* DestinationSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(create(yield* CurrentCaller, input), refused))
      })
    )
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* DestinationSettings
        return yield* shown(Effect.mapError(get(yield* CurrentCaller, params.id), refused))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const { update } = yield* DestinationSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(update(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "delete",
      Effect.fnUntraced(function* ({ params }) {
        const { remove } = yield* DestinationSettings
        return yield* Effect.mapError(remove(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle(
      "view_secret",
      Effect.fnUntraced(function* ({ params }) {
        const { viewSecret } = yield* DestinationSettings
        const destination = yield* Effect.mapError(viewSecret(yield* CurrentCaller, params.id), refused)
        return secretJson(wireSecret(destination, yield* now))
      })
    )
    .handleRaw(
      "rotate_secret",
      Effect.fnUntraced(function* ({ params, request }) {
        const { rotateSecret } = yield* DestinationSettings
        const input = yield* optionalObjectBody(request)
        return yield* shown(Effect.mapError(rotateSecret(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "remove_secret",
      Effect.fnUntraced(function* ({ params }) {
        const { removeSecret } = yield* DestinationSettings
        return yield* Effect.mapError(removeSecret(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle(
      "test",
      Effect.fnUntraced(function* ({ params }) {
        const { test } = yield* DestinationSettings
        return wireTest(yield* Effect.mapError(test(yield* CurrentCaller, params.id), refused))
      })
    )
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
