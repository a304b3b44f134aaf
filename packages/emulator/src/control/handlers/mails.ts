import { Outbox } from "@tapedeck/core"
import { Effect } from "effect"
import { toIso } from "../../clock/iso.ts"
import { ControlApi } from "../Api.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { json } from "../requests.ts"
import type { MailView } from "../schemas.ts"

/** Older mails are in the world, and not listed. */
const maxListed = 1_000

export const mails = controlEndpoints(ControlApi.groups.mails, {
  list: ({ world }) =>
    world.run(
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const newest = world.memory
          .state()
          .mails.valuesArray()
          .sort((a, b) => a.fence - b.fence)
          .slice(-maxListed)
        const views: Array<MailView> = []
        for (const { mail } of newest) {
          const composed = yield* outbox.compose(mail)
          if (composed === null || mail.switch === null) continue
          const { headers = {}, html = "" } = composed
          views.push({
            id: mail.id,
            at: toIso(mail.createdAt),
            switch: mail.switch,
            ...composed,
            headers,
            html,
            recording: mail.recordingUuid,
            delivery: mail.deliveryId
          })
        }
        return json({ mails: views })
      })
    )
})
