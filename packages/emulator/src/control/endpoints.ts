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

/** Descriptions of responses whose schema does not describe them, by status. */
const meanings: Readonly<Record<string, string>> = {
  204: "The call succeeded.",
  400: "The body or the query is invalid. `errors` has the path of each invalid value.",
  403: "The `Host` or the `Origin` of the request is not the emulator's.",
  404: "The world, or a resource that the request names, does not exist.",
  408: "Too few entries matched within `timeout_ms`. `nearest` has the entries that have most of the fields.",
  409: "The state of the world or of the resource does not allow the call. The message names the reason.",
  415: "The body is not `application/json`."
}

/** The control plane's OpenAPI document, with the JSON Schema of start documents as a component. */
const controlOpenApi = ({ baseUrl, path }: ControlServers) => {
  const generated = JSON.stringify(OpenApi.fromApi(ControlApi)).replaceAll(`"${unchecked}"`, `"${checked}"`)
  const document = JSON.parse(generated) as ReturnType<typeof OpenApi.fromApi>
  for (const item of Object.values(document.paths)) {
    for (const { responses } of Object.values(item as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>)) {
      for (const [status, response] of Object.entries(responses))
        response.description = meanings[status] ?? response.description
    }
  }
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
