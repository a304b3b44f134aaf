import { startDocumentJsonSchema } from "@tapedeck/fixtures"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { ControlApi } from "./Api.ts"
import { consoleEndpoints } from "./console.ts"
import { controlEndpoint } from "./controlEndpoints.ts"
import { clock } from "./handlers/clock.ts"
import { deliveries, folders } from "./handlers/deliveries.ts"
import { faults } from "./handlers/faults.ts"
import { journal } from "./handlers/journal.ts"
import { mails } from "./handlers/mails.ts"
import { recordings } from "./handlers/recordings.ts"
import { sinks } from "./handlers/sinks.ts"
import { world } from "./handlers/world.ts"
import { json } from "./requests.ts"
import { baseUrlOf } from "./worldView.ts"

/** Addresses of a world for the document's servers: relative to the document's address, and absolute. */
interface ControlServers {
  /** `/worlds/w1`; empty for the default world. */
  readonly path: string
  readonly baseUrl: string
}

/** Effect's name of the component for a body that is validated elsewhere. */
const unchecked = "#/components/schemas/StartDocumentEncoded"
const checked = "#/components/schemas/StartDocument"

/** The control plane's OpenAPI document, with the JSON Schema of start documents as a component. */
const controlOpenApi = ({ baseUrl, path }: ControlServers) => {
  const generated = JSON.stringify(OpenApi.fromApi(ControlApi)).replaceAll(`"${unchecked}"`, `"${checked}"`)
  const document = JSON.parse(generated) as ReturnType<typeof OpenApi.fromApi>
  const { StartDocumentEncoded: _, ...schemas } = document.components.schemas
  return {
    ...document,
    servers: [
      { url: path === "" ? "/" : path, description: "The world that served this document." },
      { url: baseUrl, description: "The same world, by its absolute address." }
    ],
    components: { ...document.components, schemas: { ...schemas, StartDocument: startDocumentJsonSchema() } }
  }
}

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
  ...consoleEndpoints
]
