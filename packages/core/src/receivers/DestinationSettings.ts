import { type AuditDestination, type AuditFilters, DestinationId } from "@tapedeck/domain"
import { auditPayload } from "@tapedeck/domain/audit"
import type {
  AuditDestinationChange,
  AuditDestinationInput,
  DecodedInput,
  Lenient,
  Report
} from "@tapedeck/domain/input"
import { auditDestinationDefaults } from "@tapedeck/domain/internal/receivers"
import { Context, Effect, Layer } from "effect"
import { type AuditedField, auditor, plainField } from "../audit/audited.ts"
import { Deliveries } from "../deliveries/Deliveries.ts"
import type { NotFound, Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { receiverChange } from "../store/changes/changes.ts"
import { partOf, storeOf } from "../store/Store.ts"
import { type ReceiverSettings, type ReportOff, receiverSettings } from "./receiverSettings.ts"
import { auditedHeaders, auditedUrl, checkWebhook, unmasked } from "./webhookFields.ts"

/** The monitoring systems that audit entries are sent to (Events, audit-log webhook). */
export class DestinationSettings extends Context.Service<
  DestinationSettings,
  ReceiverSettings<AuditDestination, AuditDestinationInput, AuditDestinationChange> & {
    /** Lists the destinations in the order of creation. */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<AuditDestination>>
    /** Removes the secret. Later deliveries are not signed. */
    readonly removeSecret: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/DestinationSettings") {
  static readonly layer = Layer.effect(
    DestinationSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "destinations")
      const write = yield* writer
      const config = yield* ServiceConfig
      const deliveries = yield* Deliveries
      const ids = yield* Ids
      const audit = yield* auditor
      const page = yield* pager
      const { add, get, replace, sendTest, ...shared } = yield* receiverSettings<AuditDestination>({
        kind: "audit_destination",
        what: "Audit destination",
        byId: (id) => store.destinations.byId(DestinationId.make(id)),
        save: store.destinations.save,
        remove: ({ id }) => store.destinations.remove(id),
        asReceiver: ({ id }) => ({ destinationId: id }),
        fields: destinationFields
      })

      const check = (present: AuditDestination | null) => (input: Lenient<AuditDestinationChange>, report: Report) =>
        Effect.provideService(checkWebhook(input, present, report), ServiceConfig, config)

      const create = Effect.fn("DestinationSettings.create")(
        function* (caller: Caller, input: DecodedInput<AuditDestinationInput>) {
          const { secret, ...fields } = yield* valueOf(input, check(null))
          const blank: AuditDestination = {
            id: DestinationId.make(yield* Ids.uuid("destination")),
            accountId: caller.account.id,
            name: fields.name,
            url: fields.url,
            description: null,
            secret: secret ?? null,
            previousSecrets: [],
            headers: {},
            ...auditDestinationDefaults,
            filters: noFilters,
            enabled: true,
            createdAt: yield* now
          }
          return yield* add(caller, changed(blank, fields))
        },
        Effect.provideService(Ids, ids)
      )

      const update = Effect.fn("DestinationSettings.update")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<AuditDestinationChange>,
        off: ReportOff
      ) {
        const before = yield* get(caller, id)
        return yield* replace(caller, before, changed(before, yield* valueOf(input, check(before))), off)
      })

      const removeSecret = Effect.fn("DestinationSettings.removeSecret")(function* (caller: Caller, id: string) {
        const destination = yield* get(caller, id)
        if (destination.secret === null) return
        yield* store.destinations.save({ ...destination, secret: null, previousSecrets: [] })
        yield* store.changes.publishOnCommit(receiverChange(destination, { destinationId: destination.id }))
        yield* audit(caller, "audit_destination.secret_removed", destinationTarget(destination))
      })

      const prepareTest = Effect.fn("DestinationSettings.prepareTest")(function* (caller: Caller, id: string) {
        const destination = yield* get(caller, id)
        const entry = yield* audit(caller, "audit_destination.tested", destinationTarget(destination))
        return yield* deliveries.prepare({
          accountId: destination.accountId,
          destinationId: destination.id,
          auditEntryId: entry.id,
          test: true,
          event: entry.eventType,
          body: JSON.stringify(auditPayload({ entry, user: caller.user, account: caller.account }))
        })
      })

      return DestinationSettings.of({
        list: (caller, number) =>
          page(number, (slice) =>
            Effect.map(store.destinations.ofAccount(caller.account.id), (all) => partOf(all, slice))
          ),
        get,
        create: (caller, input) => write(caller, create(caller, input)),
        update: (caller, id, input) => deliveries.cancelling(caller, (off) => update(caller, id, input, off)),
        removeSecret: (caller, id) => write(caller, removeSecret(caller, id)),
        test: (caller, id) => sendTest(caller, prepareTest(caller, id)),
        ...shared
      })
    })
  )
}

const destinationTarget = ({ id }: AuditDestination) => ({ type: "audit_destination", id })

/** A destination in the form of the audit log. */
const destinationFields = (destination: AuditDestination): Readonly<Record<string, AuditedField>> => ({
  name: plainField(destination.name),
  url: auditedUrl(destination.url),
  description: plainField(destination.description),
  headers: auditedHeaders(destination.headers),
  timeout_seconds: plainField(destination.timeoutMs / 1000),
  max_retries: plainField(destination.maxRetries),
  filters: plainField({
    categories: destination.filters.categories,
    event_types: destination.filters.eventTypes,
    severities: destination.filters.severities
  }),
  signature: plainField(destination.signature),
  enabled: plainField(destination.enabled)
})

const noFilters: AuditFilters = { categories: [], eventTypes: [], severities: [] }

const changed = (before: AuditDestination, change: AuditDestinationChange): AuditDestination => ({
  ...before,
  name: change.name ?? before.name,
  url: change.url ?? before.url,
  description: change.description === undefined ? before.description : change.description,
  headers: change.headers === undefined ? before.headers : unmasked(change.headers, before.headers),
  timeoutMs: change.timeout_seconds === undefined ? before.timeoutMs : change.timeout_seconds * 1000,
  maxRetries: change.max_retries ?? before.maxRetries,
  // Filters are one setting: an absent filter passes everything (A6).
  filters:
    change.filters === undefined
      ? before.filters
      : {
          categories: change.filters.categories ?? [],
          eventTypes: change.filters.event_types ?? [],
          severities: change.filters.severities ?? []
        },
  signature: change.signature ?? before.signature,
  enabled: change.enabled ?? before.enabled
})
