import { settings } from "@tapedeck/contract"
import {
  AutomationSettings,
  type Caller,
  DestinationSettings,
  Explanations,
  now,
  type Page,
  type ReceiverSettings,
  ServiceConfig,
  Statistics
} from "@tapedeck/core"
import type { AuditDestination, Automation, Instant } from "@tapedeck/domain"
import type { DecodedInput, SecretRotation } from "@tapedeck/domain/input"
import type { CountedReceiver, ReceiverHealth } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { Refusal } from "../pipeline/refusals.ts"
import { secretJson, wirePagination } from "../responses.ts"
import { executionLog } from "./executionLog.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { wireTest } from "./wire/delivery.ts"
import { wireEventExplanation } from "./wire/explanation.ts"
import { wireAutomation, wireDestination, wireSecret } from "./wire/webhook.ts"

interface WithCaller {
  readonly caller: Caller
}

interface WithInput<Input> extends WithCaller {
  readonly input: Effect.Effect<DecodedInput<Input>, Refusal>
}

interface WithId extends WithCaller {
  readonly params: { readonly id: string }
}

/** The differences between automations and audit destinations in their common endpoints. */
interface Kind<Receiver, New, Change, Wire, Service> {
  readonly service: Effect.Effect<ReceiverSettings<Receiver, New, Change>, never, Service>
  readonly counted: (id: string) => CountedReceiver
  readonly log: ReturnType<typeof executionLog>
  /** Writes a receiver, its secrets masked. */
  readonly wire: (receiver: Receiver, at: Instant, health: ReceiverHealth | undefined, vendor: string) => Wire
}

/** The common endpoints of automations and audit destinations, and the wire form of a page of them. */
const common = <Receiver extends Automation | AuditDestination, New, Change, Wire, Service>({
  counted,
  log,
  service,
  wire
}: Kind<Receiver, New, Change, Wire, Service>) => {
  const shown = Effect.fnUntraced(function* <E, R>(caller: Caller, receiver: Effect.Effect<Receiver, E, R>) {
    const { health } = yield* Statistics
    const one = yield* receiver
    const id = counted(one.id)
    const { vendor } = yield* ServiceConfig
    return wire(one, yield* now, (yield* health(caller, id)).get(id), vendor)
  })

  const page = Effect.fnUntraced(function* (caller: Caller, { items, pagination }: Page<Receiver>) {
    const at = yield* now
    const { vendor } = yield* ServiceConfig
    const health = yield* Statistics.use((statistics) => statistics.health(caller))
    return {
      pagination: wirePagination(pagination),
      items: items.map((one) => wire(one, at, health.get(counted(one.id)), vendor))
    }
  })

  const endpoints = {
    create: {
      answer: Effect.fnUntraced(function* ({ caller, input }: WithInput<New>) {
        const { create } = yield* service
        return yield* shown(caller, create(caller, yield* input))
      })
    },
    read: {
      answer: Effect.fnUntraced(function* ({ caller, params }: WithId) {
        const { get } = yield* service
        return yield* shown(caller, get(caller, params.id))
      })
    },
    update: {
      answer: Effect.fnUntraced(function* ({ caller, input, params }: WithId & WithInput<Change>) {
        const { update } = yield* service
        return yield* shown(caller, update(caller, params.id, yield* input))
      })
    },
    delete: {
      answer: Effect.fnUntraced(function* ({ caller, params }: WithId) {
        const { remove } = yield* service
        return yield* remove(caller, params.id)
      })
    },
    view_secret: {
      answer: Effect.fnUntraced(function* ({ caller, params }: WithId) {
        const { viewSecret } = yield* service
        const receiver = yield* viewSecret(caller, params.id)
        return secretJson(wireSecret(receiver, yield* now))
      })
    },
    rotate_secret: {
      answer: Effect.fnUntraced(function* ({ caller, input, params }: WithId & WithInput<SecretRotation>) {
        const { rotateSecret } = yield* service
        return yield* shown(caller, rotateSecret(caller, params.id, yield* input))
      })
    },
    test: {
      answer: Effect.fnUntraced(function* ({ caller, params }: WithId) {
        const { test } = yield* service
        return wireTest(yield* test(caller, params.id))
      })
    },
    deliveries: { answer: log.list },
    delivery: { answer: log.get },
    redeliver: { answer: log.redeliver }
  } as const
  return { endpoints, page }
}

const ofAutomations = common({
  service: AutomationSettings,
  counted: (id) => `a:${id}`,
  log: executionLog("automation"),
  wire: wireAutomation
})

/** The webhooks of folders, and their execution logs (Events). */
export const automations = settingsEndpointsOf(settings.Api.groups.automations, {
  ...ofAutomations.endpoints,
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* AutomationSettings
      const ofFolder = query.folder_id === undefined ? {} : { folderId: query.folder_id }
      const { items, pagination } = yield* ofAutomations.page(
        caller,
        yield* list(caller, { page: query.page ?? 1, ...ofFolder })
      )
      return { pagination, automations: items }
    })
  },
  explain: {
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const explanations = yield* Explanations
      return wireEventExplanation(yield* explanations.automation(caller, params.id, query.recording))
    })
  }
})

const ofDestinations = common({
  service: DestinationSettings,
  counted: (id) => `d:${id}`,
  log: executionLog("audit_destination"),
  wire: wireDestination
})

/** The monitoring systems that audit entries are sent to, and their execution logs (Events). */
export const destinations = settingsEndpointsOf(settings.Api.groups.audit_destinations, {
  ...ofDestinations.endpoints,
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* DestinationSettings
      const { items, pagination } = yield* ofDestinations.page(caller, yield* list(caller, query.page ?? 1))
      return { pagination, audit_destinations: items }
    })
  },
  remove_secret: {
    answer: ({ caller, params }) => DestinationSettings.use(({ removeSecret }) => removeSecret(caller, params.id))
  },
  explain: {
    answer: Effect.fnUntraced(function* ({ caller, params, query }) {
      const explanations = yield* Explanations
      return wireEventExplanation(yield* explanations.destination(caller, params.id, query.audit_entry))
    })
  }
})
