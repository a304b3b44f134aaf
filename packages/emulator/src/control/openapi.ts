import { startDocumentJsonSchema } from "@tapedeck/core"
import { OpenApi } from "effect/http-api"
import { ControlApi } from "./Api.ts"

/** The control plane's OpenAPI document, with the JSON Schema of start documents as a component. */
export const controlOpenApi = () => {
  const document = OpenApi.fromApi(ControlApi)
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...document.components.schemas, StartDocument: startDocumentJsonSchema() }
    }
  }
}
