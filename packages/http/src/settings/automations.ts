import { settings } from "@tapedeck/contract"
import { AutomationSettings, Explanations, now } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { wirePagination } from "../wire/pagination.ts"
import { executionLog } from "./executionLog.ts"
import { refused } from "./refusals.ts"
import { webhookHandlers } from "./webhooks.ts"
import { wireEventExplanation } from "./wire/explanation.ts"
import { wireAutomation } from "./wire/webhook.ts"

const webhook = webhookHandlers(AutomationSettings, wireAutomation)
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
    .handleRaw("create", webhook.create)
    .handle("read", webhook.read)
    .handleRaw("update", webhook.update)
    .handle("delete", webhook.remove)
    .handle("view_secret", webhook.viewSecret)
    .handleRaw("rotate_secret", webhook.rotateSecret)
    .handle("test", webhook.test)
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
