import {
  type Automation,
  AutomationId,
  FOLDER_EVENT,
  FolderId,
  SAMPLE_RECORDING_UUID,
  sampleEventParts,
  sampleRecording
} from "@tapedeck/domain"
import {
  type AutomationChange,
  type AutomationInput,
  type DecodedInput,
  type Lenient,
  type Report,
  within
} from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../audit/audited.ts"
import { Deliveries } from "../deliveries/Deliveries.ts"
import { NotFound } from "../errors.ts"
import { firingOf, renderDelivery } from "../folders/folderPayload.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { recordingLinks } from "../recordings/links.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { partOf, storeOf } from "../store/Store.ts"
import { automationFields, automationTarget } from "./automationFields.ts"
import { checkCondition, conditionOf } from "./condition.ts"
import { type ReceiverSettings, type ReportOff, receiverSettings } from "./receiverSettings.ts"
import { checkAutomationUrl, checkTemplate } from "./webhookChecks.ts"
import { checkWebhook, unmasked } from "./webhookFields.ts"

/** The webhooks of the account's folders (Events, folder automation webhook). */
export class AutomationSettings extends Context.Service<
  AutomationSettings,
  ReceiverSettings<Automation, AutomationInput, AutomationChange> & {
    /** Lists the automations in the order of creation; with `folderId`, those of the folder. */
    readonly list: (
      caller: Caller,
      options: { readonly page: number; readonly folderId?: string }
    ) => Effect.Effect<Page<Automation>>
  }
>()("@tapedeck/core/AutomationSettings") {
  static readonly layer = Layer.effect(
    AutomationSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("automations", "folders")
      const write = yield* writer
      const config = yield* ServiceConfig
      const deliveries = yield* Deliveries
      const ids = yield* Ids
      const audit = yield* auditor
      const page = yield* pager
      const { add, get, replace, sendTest, ...shared } = yield* receiverSettings<Automation>({
        kind: "automation",
        what: "Automation",
        byId: (id) => store.automations.byId(AutomationId.make(id)),
        save: store.automations.save,
        remove: ({ id }) => store.automations.remove(id),
        asReceiver: ({ id }) => ({ automationId: id }),
        fields: automationFields
      })

      const list = Effect.fn("AutomationSettings.list")(function* (
        caller: Caller,
        options: { readonly page: number; readonly folderId?: string }
      ) {
        const all = yield* store.automations.ofAccount(caller.account.id)
        const wanted = all.filter(({ folderId }) => options.folderId === undefined || folderId === options.folderId)
        return yield* page(options.page, (slice) => Effect.succeed(partOf(wanted, slice)))
      })

      /** Checks fields that depend on the account's folders, on the vendor, and on the emulator's exemption. */
      const check = (caller: Caller, present: Automation | null) =>
        Effect.fnUntraced(
          function* (input: Lenient<AutomationChange>, report: Report) {
            yield* checkWebhook(input, present, report, checkAutomationUrl)
            checkCondition(input.only, config.vendor, within(report, "only"))
            if (typeof input.payload === "string")
              checkTemplate(input.payload, within(report, "payload"), config.publicUrl)
            if (input.folder_id === undefined) return
            const folder = yield* store.folders.byId(FolderId.make(input.folder_id))
            if (folder?.accountId !== caller.account.id) report(["folder_id"], "is not the id of a folder")
          },
          Effect.provideService(ServiceConfig, config)
        )

      const create = Effect.fn("AutomationSettings.create")(
        function* (caller: Caller, input: DecodedInput<AutomationInput>) {
          const fields = yield* valueOf(input, check(caller, null))
          const automation: Automation = {
            id: AutomationId.make(yield* Ids.uuid("automation")),
            accountId: caller.account.id,
            folderId: FolderId.make(fields.folder_id),
            url: fields.url,
            method: fields.method ?? "POST",
            headers: fields.headers ?? {},
            secret: fields.secret ?? (yield* Ids.webhookSecret),
            previousSecrets: [],
            payloadTemplate: fields.payload ?? null,
            ...conditionOf(fields.only, config.vendor),
            enabled: fields.enabled ?? true,
            createdAt: yield* now
          }
          return yield* add(caller, automation)
        },
        Effect.provideService(Ids, ids)
      )

      const update = Effect.fn("AutomationSettings.update")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<AutomationChange>,
        off: ReportOff
      ) {
        const before = yield* get(caller, id)
        const change = yield* valueOf(input, check(caller, before))
        return yield* replace(caller, before, changed(before, change, config.vendor), off)
      })

      const prepareTest = Effect.fn("AutomationSettings.prepareTest")(function* (caller: Caller, id: string) {
        const automation = yield* get(caller, id)
        const folder = yield* store.folders.byId(automation.folderId)
        if (folder === undefined) return yield* new NotFound({ what: "Automation" })
        yield* audit(caller, "automation.tested", automationTarget(automation))
        const at = yield* now
        const recording = sampleRecording(caller.account.id, at)
        const links = recordingLinks(config.publicUrl, SAMPLE_RECORDING_UUID)
        // A test is sent whatever the condition.
        const firing = { ...firingOf(automation, recording), unmet: undefined }
        const event = {
          recording,
          ...sampleEventParts,
          folder,
          account: caller.account,
          links,
          vendor: config.vendor,
          at
        }
        return yield* deliveries.prepare({
          accountId: automation.accountId,
          automationId: automation.id,
          test: true,
          event: FOLDER_EVENT,
          ...renderDelivery(firing, event),
          schedule: []
        })
      })

      return AutomationSettings.of({
        list,
        get,
        create: (caller, input) => write(caller, create(caller, input)),
        update: (caller, id, input) => deliveries.cancelling(caller, (off) => update(caller, id, input, off)),
        test: (caller, id) => sendTest(caller, prepareTest(caller, id)),
        ...shared
      })
    })
  )
}

const changed = ({ only, ...before }: Automation, change: AutomationChange, vendor: string): Automation => ({
  ...before,
  ...(change.only === undefined ? only !== undefined && { only } : conditionOf(change.only, vendor)),
  folderId: change.folder_id === undefined ? before.folderId : FolderId.make(change.folder_id),
  url: change.url ?? before.url,
  method: change.method ?? before.method,
  headers: change.headers === undefined ? before.headers : unmasked(change.headers, before.headers),
  payloadTemplate: change.payload === undefined ? before.payloadTemplate : change.payload,
  enabled: change.enabled ?? before.enabled
})
