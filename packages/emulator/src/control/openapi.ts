import { startDocumentJsonSchema } from "@tapedeck/fixtures"
import { OpenApi } from "effect/http-api"
import { ControlApi } from "./Api.ts"

/** The servers of a world: relative to the document's address, and absolute. */
export interface ControlServers {
  /** `/worlds/w1`; empty for the default world. */
  readonly path: string
  readonly baseUrl: string
}

/** Effect's name of the component for a body that is validated elsewhere. */
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
      { url: path === "" ? "/" : path, description: "The world that served this document." },
      { url: baseUrl, description: "The same world, by its absolute address." }
    ],
    components: { ...document.components, schemas: { ...schemas, StartDocument: startDocumentJsonSchema() } }
  }
}
