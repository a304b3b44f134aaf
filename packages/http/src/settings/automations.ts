import { settings } from "@tapedeck/contract"
import { AutomationSettings, Explanations, now, Statistics } from "@tapedeck/core"
import { Effect } from "effect"
import { wirePagination } from "../responses.ts"
import { executionLog } from "./executionLog.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { webhookHandlers } from "./webhooks.ts"
import { wireEventExplanation } from "./wire/explanation.ts"
import { wireAutomation } from "./wire/webhook.ts"

const webhook = webhookHandlers(AutomationSettings, (id) => `a:${id}`, wireAutomation)
const log = executionLog("automation")

/** The webhooks of folders, and their execution logs (Events). */
export const automations = settingsEndpointsOf(settings.Api.groups.automations, {
  list: {
    operation: "automations.list",
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* AutomationSettings
      const ofFolder = query.folder_id === undefined ? {} : { folderId: query.folder_id }
      const page = yield* list(caller, { page: query.page ?? 1, ...ofFolder })
      const at = yield* now
      const health = yield* Statistics.use((statistics) => statistics.health(caller))
      const wire = page.items.map((one) => wireAutomation(one, at, health.get(`a:${one.id}`)))
      return { pagination: wirePagination(page.pagination), automations: wire }
    })
  },
  create: { operation: "automations.create", answer: webhook.create },
  read: { operation: "automations.read", answer: webhook.read },
  update: { operation: "automations.update", answer: webhook.update },
  delete: { operation: "automations.delete", answer: webhook.remove },
  view_secret: { operation: "automations.view_secret", answer: webhook.viewSecret },
  rotate_secret: { operation: "automations.rotate_secret", answer: webhook.rotateSecret },
  test: { operation: "automations.test", answer: webhook.test },
  deliveries: { operation: "automations.deliveries", answer: log.list },
  delivery: { operation: "automations.delivery", answer: log.get },
  redeliver: { operation: "automations.redeliver", answer: log.redeliver },
  explain: {
    operation: "automations.explain",
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const explanations = yield* Explanations
      return wireEventExplanation(yield* explanations.automation(caller, params.id, query.recording))
    })
  }
})
