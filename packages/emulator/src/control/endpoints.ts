import { Effect } from "effect"
import { uiEndpoints } from "../ui/serve.ts"
import { controlEndpoint } from "./controlEndpoints.ts"
import { clock } from "./handlers/clock.ts"
import { deliveries, folders } from "./handlers/deliveries.ts"
import { faults } from "./handlers/faults.ts"
import { journal } from "./handlers/journal.ts"
import { mails } from "./handlers/mails.ts"
import { recordings } from "./handlers/recordings.ts"
import { sinks } from "./handlers/sinks.ts"
import { world } from "./handlers/world.ts"
import { controlOpenApi } from "./openapi.ts"
import { json } from "./requests.ts"
import { baseUrlOf } from "./worldView.ts"

const openApi = controlEndpoint("GET", "/_emulator/openapi.json", {
  isNoted: false,
  answer: ({ emulator, world }) =>
    Effect.map(baseUrlOf(emulator, world), (baseUrl) =>
      json(controlOpenApi({ baseUrl, path: emulator.baseUrl(world, "") }))
    )
})

/** The endpoints of the control plane, loaded with its first request. */
export const controlPlane = [
  ...world,
  ...folders,
  ...recordings,
  ...clock,
  ...sinks,
  ...deliveries,
  ...mails,
  ...faults,
  ...journal,
  openApi,
  ...uiEndpoints
]
