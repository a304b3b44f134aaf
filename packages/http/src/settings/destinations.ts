import { settings } from "@tapedeck/contract"
import { DeliveryLog, DestinationSettings, now } from "@tapedeck/core"
import type { AuditDestination } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { secretJson } from "../responses.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody, optionalObjectBody } from "./body.ts"
import { refused } from "./refusals.ts"
import { inState, wireDelivery, wireTest } from "./wire/delivery.ts"
import { wireDestination, wireSecret } from "./wire/webhook.ts"

const shown = <E, R>(destination: Effect.Effect<AuditDestination, E, R>) =>
  Effect.zipWith(destination, now, wireDestination)

const logOf = ({ id }: { readonly id: string }) => ({ kind: "audit_destination", id }) as const

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
    .handle(
      "deliveries",
      Effect.fnUntraced(function* ({ params, query }) {
        const { list } = yield* DeliveryLog
        const found = list(yield* CurrentCaller, logOf(params), { page: query.page ?? 1, ...inState(query.state) })
        const page = yield* Effect.mapError(found, refused)
        return { pagination: wirePagination(page.pagination), deliveries: page.items.map(wireDelivery) }
      })
    )
    .handle(
      "delivery",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* DeliveryLog
        const found = get(yield* CurrentCaller, logOf(params), params.delivery_id)
        return wireDelivery(yield* Effect.mapError(found, refused))
      })
    )
    .handle(
      "redeliver",
      Effect.fnUntraced(function* ({ params }) {
        const { redeliver } = yield* DeliveryLog
        const again = redeliver(yield* CurrentCaller, logOf(params), params.delivery_id)
        return wireDelivery(yield* Effect.mapError(again, refused))
      })
    )
)
