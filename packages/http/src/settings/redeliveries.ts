import { settings } from "@tapedeck/contract"
import { Redeliveries } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { deliveryStateName } from "@tapedeck/domain/delivery"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { jsonText } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

const wireFilters = ({
  automationId,
  destinationId,
  event,
  recordingUuid,
  since,
  state,
  statusCode,
  until
}: Redelivery["filter"]): settings.Redelivery["filters"] => ({
  ...(state !== undefined && { state: deliveryStateName({ _tag: state }) }),
  ...(automationId !== undefined && { automation_id: automationId }),
  ...(destinationId !== undefined && { audit_destination_id: destinationId }),
  ...(recordingUuid !== undefined && { recording_uuid: recordingUuid }),
  ...(event !== undefined && { event }),
  ...(statusCode !== undefined && { status_code: statusCode }),
  ...(since !== undefined && { since: toIso(since) }),
  ...(until !== undefined && { until: toIso(until) })
})

const stateNames = { Running: "running", Finished: "finished", Stopped: "stopped" } as const

const wireRedelivery = (job: Redelivery): settings.Redelivery => ({
  id: job.id,
  state: stateNames[job.state._tag],
  filters: wireFilters(job.filter),
  limit: job.limit,
  rate: job.rate,
  count: job.count,
  count_is_exact: job.isExact,
  redelivered: job.redelivered,
  skipped: job.skipped,
  started_by: job.userId,
  created_at: toIso(job.createdAt),
  ended_at: job.state._tag === "Running" ? null : toIso(job.state.at),
  stopped_because: job.state._tag === "Stopped" ? job.state.reason : null
})

/** Jobs that deliver again by a filter. */
export const redeliveries = settingsEndpointsOf(settings.Api.groups.redeliveries, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller }) {
      const { list } = yield* Redeliveries
      return { redeliveries: (yield* list(caller)).map(wireRedelivery) }
    })
  },
  create: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { start } = yield* Redeliveries
      const started = yield* start(caller, yield* input)
      if ("id" in started) return wireRedelivery(started)
      const estimate: settings.RedeliveryEstimate = {
        dry_run: true,
        count: started.count,
        count_is_exact: started.isExact,
        examined: started.examined,
        skipped: {
          send_tests: started.skipped.sendTests,
          receivers: started.skipped.receivers,
          payloads: started.skipped.payloads,
          unsent: started.skipped.unsent
        }
      }
      return jsonText(JSON.stringify(estimate), 200)
    })
  },
  read: {
    answer: ({ caller, params }) =>
      Effect.map(
        Redeliveries.use(({ get }) => get(caller, params.id)),
        wireRedelivery
      )
  },
  stop: {
    answer: ({ caller, params }) =>
      Effect.map(
        Redeliveries.use(({ stop }) => stop(caller, params.id)),
        wireRedelivery
      )
  }
})
