import { settings } from "@tapedeck/contract"
import { DeliveryLog, Explanations, type PeriodStatistics, Statistics } from "@tapedeck/core"
import { parseIso, toIso } from "@tapedeck/domain"
import type { AttemptStatistics, CountedReceiver } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { deliveriesAsJson, deliveryFilter, deliveryWithRecording } from "./executionLog.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { wireDelivery } from "./wire/delivery.ts"
import { wireDeliveryExplanation } from "./wire/explanation.ts"

/** Endpoints of deliveries of every kind of receiver. */
export const deliveries = settingsEndpointsOf(settings.Api.groups.deliveries, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { ofAccount } = yield* DeliveryLog
      return yield* deliveriesAsJson(caller, ofAccount(caller, deliveryFilter(query)))
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* DeliveryLog
      return yield* deliveryWithRecording(caller, yield* get(caller, null, params.id))
    })
  },
  statistics: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { read } = yield* Statistics
      const { audit_destination_id: destination, automation_id: automation, interval = "hour", since, until } = query
      const found = yield* read(caller, {
        interval,
        ...(automation !== undefined && { receiver: `a:${automation}` as const }),
        ...(destination !== undefined && { receiver: `d:${destination}` as const }),
        ...(since !== undefined && { since: parseIso(since)! }),
        ...(until !== undefined && { until: parseIso(until)! })
      })
      return wireStatistics(found)
    })
  },
  cancel: {
    answer: ({ caller, params }) =>
      Effect.map(
        DeliveryLog.use(({ cancel }) => cancel(caller, params.id)),
        wireDelivery
      )
  },
  explain: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const explanations = yield* Explanations
      return wireDeliveryExplanation(yield* explanations.delivery(caller, params.id))
    })
  }
})

const wireAttempts = ({ counts, p50Ms, p95Ms }: AttemptStatistics) => ({
  ...counts,
  duration_p50_ms: p50Ms,
  duration_p95_ms: p95Ms
})

const idOf = (receiver: CountedReceiver, kind: "a:" | "d:"): string | null =>
  receiver.startsWith(kind) ? receiver.slice(kind.length) : null

const wireStatistics = ({ intervals, receivers, since, until }: PeriodStatistics): settings.Statistics => ({
  since: toIso(since),
  until: toIso(until),
  intervals: intervals.map(({ at, ...attempts }) => ({ at: toIso(at), ...wireAttempts(attempts) })),
  receivers: receivers.map(({ receiver, ...attempts }) => ({
    automation_id: idOf(receiver, "a:"),
    audit_destination_id: idOf(receiver, "d:"),
    ...wireAttempts(attempts)
  }))
})
