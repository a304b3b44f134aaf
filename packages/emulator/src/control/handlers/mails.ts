import { Outbox } from "@tapedeck/core"
import { Effect } from "effect"
import { mailViewOf, maxListed } from "../../world/mails.ts"
import { ControlApi } from "../Api.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { json } from "../requests.ts"
import type { MailView } from "../schemas.ts"

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
        const views: Array<MailView> = [...world.environment.mails]
        for (const mail of mails.slice(-maxListed)) {
          const view = mailViewOf(mail, yield* outbox.compose(mail), "pending", mail.failedTries)
          if (view !== null) views.push(view)
        }
        views.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
        return json({ mails: views.slice(-maxListed) })
      })
    )
})
