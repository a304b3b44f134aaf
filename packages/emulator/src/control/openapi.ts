import { startDocumentJsonSchema } from "@tapedeck/fixtures"
import { OpenApi } from "effect/http-api"
import { ControlApi } from "./Api.ts"

/** Where a world is reached: below the address that the document was read from, and as a whole address. */
export interface ControlServers {
  /** `/worlds/w1`; empty for the default world. */
  readonly path: string
  readonly baseUrl: string
}

/** What Effect calls the component of a body that is checked elsewhere. */
const unchecked = "#/components/schemas/StartDocumentEncoded"
const checked = "#/components/schemas/StartDocument"

/** The control plane's OpenAPI document, with the JSON Schema of start documents as a component. */
export const controlOpenApi = ({ baseUrl, path }: ControlServers) => {
  const generated = JSON.stringify(OpenApi.fromApi(ControlApi)).replaceAll(`"${unchecked}"`, `"${checked}"`)
  const document = JSON.parse(generated) as ReturnType<typeof OpenApi.fromApi>
  const { StartDocumentEncoded: _, ...schemas } = document.components.schemas
  return {
    ...document,
    servers: [
      { url: path === "" ? "/" : path, description: "The world that this document was read from." },
      { url: baseUrl, description: "The same world, by its whole address." }
    ],
    components: { ...document.components, schemas: { ...schemas, StartDocument: startDocumentJsonSchema() } }
  }
}
