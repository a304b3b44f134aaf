import { Outbox } from "@tapedeck/core"
import { mailSubjectOf } from "@tapedeck/domain/internal/jobs"
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
        const mails = world.memory
          .state()
          .jobs.valuesArray()
          .sort((a, b) => a.place.order - b.place.order)
          .flatMap(({ job }) => (job.kind === "mail" ? [job] : []))
        const views: Array<MailView> = []
        for (const mail of mails.slice(-maxListed)) {
          const composed = yield* outbox.compose(mail)
          if (composed === null || mail.switch === null) continue
          const { headers = {}, html = "" } = composed
          views.push({
            id: mailSubjectOf(mail),
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
