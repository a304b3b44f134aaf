import { settings } from "@tapedeck/contract"
import { AutomationSettings, DeliveryLog, now } from "@tapedeck/core"
import type { Automation } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { secretJson } from "../responses.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody, optionalObjectBody } from "./body.ts"
import { refused } from "./refusals.ts"
import { inState, wireDelivery, wireTest } from "./wire/delivery.ts"
import { wireAutomation, wireSecret } from "./wire/webhook.ts"

const shown = <E, R>(automation: Effect.Effect<Automation, E, R>) => Effect.zipWith(automation, now, wireAutomation)

const logOf = ({ id }: { readonly id: string }) => ({ kind: "automation", id }) as const

/** The webhooks of folders, and their execution logs (Events). */
export const automations = HttpApiBuilder.group(settings.Api, "automations", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* AutomationSettings
        const ofFolder = query.folder_id === undefined ? {} : { folderId: query.folder_id }
        const page = yield* list(yield* CurrentCaller, { page: query.page ?? 1, ...ofFolder })
        const at = yield* now
        const wire = page.items.map((one) => wireAutomation(one, at))
        return { pagination: wirePagination(page.pagination), automations: wire }
      })
    )
    .handleRaw(
      "create",
      Effect.fnUntraced(function* ({ request }) {
        const { create } = yield* AutomationSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(create(yield* CurrentCaller, input), refused))
      })
    )
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* AutomationSettings
        return yield* shown(Effect.mapError(get(yield* CurrentCaller, params.id), refused))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const { update } = yield* AutomationSettings
        const input = yield* objectBody(request)
        return yield* shown(Effect.mapError(update(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "delete",
      Effect.fnUntraced(function* ({ params }) {
        const { remove } = yield* AutomationSettings
        return yield* Effect.mapError(remove(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle(
      "view_secret",
      Effect.fnUntraced(function* ({ params }) {
        const { viewSecret } = yield* AutomationSettings
        const automation = yield* Effect.mapError(viewSecret(yield* CurrentCaller, params.id), refused)
        return secretJson(wireSecret(automation, yield* now))
      })
    )
    .handleRaw(
      "rotate_secret",
      Effect.fnUntraced(function* ({ params, request }) {
        const { rotateSecret } = yield* AutomationSettings
        const input = yield* optionalObjectBody(request)
        return yield* shown(Effect.mapError(rotateSecret(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "test",
      Effect.fnUntraced(function* ({ params }) {
        const { test } = yield* AutomationSettings
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
