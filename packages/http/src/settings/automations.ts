import { settings } from "@tapedeck/contract"
import { AutomationSettings, Explanations, now } from "@tapedeck/core"
import type { Automation } from "@tapedeck/domain"
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
import { wireAutomation, wireSecret } from "./wire/webhook.ts"

const shown = <E, R>(automation: Effect.Effect<Automation, E, R>) => Effect.zipWith(automation, now, wireAutomation)

const log = executionLog("automation")

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
    .handle("deliveries", log.list)
    .handle("delivery", log.get)
    .handle("redeliver", log.redeliver)
    .handle(
      "explain",
      Effect.fnUntraced(function* ({ params, query }) {
        const explanations = yield* Explanations
        const found = explanations.automation(yield* CurrentCaller, params.id, query.recording)
        return wireEventExplanation(yield* Effect.mapError(found, refused))
      })
    )
)
