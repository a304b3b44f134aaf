import { settings } from "@tapedeck/contract"
import { DestinationSettings, Explanations, now, Statistics } from "@tapedeck/core"
import { Effect } from "effect"
import { wirePagination } from "../responses.ts"
import { executionLog } from "./executionLog.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { webhookHandlers } from "./webhooks.ts"
import { wireEventExplanation } from "./wire/explanation.ts"
import { wireDestination } from "./wire/webhook.ts"

const webhook = webhookHandlers(DestinationSettings, (id) => `d:${id}`, wireDestination)
const log = executionLog("audit_destination")

/** The monitoring systems that audit entries are sent to, and their execution logs (Events). */
export const destinations = settingsEndpointsOf(settings.Api.groups.audit_destinations, {
  list: {
    operation: "audit_destinations.list",
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* DestinationSettings
      const page = yield* list(caller, query.page ?? 1)
      const at = yield* now
      const health = yield* Statistics.use((statistics) => statistics.health(caller))
      const wire = page.items.map((one) => wireDestination(one, at, health.get(`d:${one.id}`)))
      return { pagination: wirePagination(page.pagination), audit_destinations: wire }
    })
  },
  create: { operation: "audit_destinations.create", answer: webhook.create },
  read: { operation: "audit_destinations.read", answer: webhook.read },
  update: { operation: "audit_destinations.update", answer: webhook.update },
  delete: { operation: "audit_destinations.delete", answer: webhook.remove },
  view_secret: { operation: "audit_destinations.view_secret", answer: webhook.viewSecret },
  rotate_secret: { operation: "audit_destinations.rotate_secret", answer: webhook.rotateSecret },
  remove_secret: {
    operation: "audit_destinations.remove_secret",
    answer: ({ caller, params }) => DestinationSettings.use(({ removeSecret }) => removeSecret(caller, params.id))
  },
  test: { operation: "audit_destinations.test", answer: webhook.test },
  deliveries: { operation: "audit_destinations.deliveries", answer: log.list },
  delivery: { operation: "audit_destinations.delivery", answer: log.get },
  redeliver: { operation: "audit_destinations.redeliver", answer: log.redeliver },
  explain: {
    operation: "audit_destinations.explain",
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const explanations = yield* Explanations
      return wireEventExplanation(yield* explanations.destination(caller, params.id, query.audit_entry))
    })
  }
})
