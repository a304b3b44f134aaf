import type { Header } from "./headers.ts"
import type { JsonSchema } from "./schemas.ts"

/** Settings of the service that a document describes. */
export interface OpenApiOptions {
  /** Name of the vendor. In lower case, it is the own-app value of `platform`. */
  readonly vendor: string
  /** False if webhooks do not have the headers of Standard Webhooks. Default: true. */
  readonly standardWebhooks?: boolean
  /** Number of items on a page of a list. Default: 100. */
  readonly pageSize?: number
  /** URL of the API's root, relative to the document's host unless it is absolute. Default: the root's path. */
  readonly serverUrl?: string
  /** Public URL of the service, without a slash at its end. It becomes the second of `servers`. */
  readonly publicUrl?: string
}

export interface OpenApiParameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly required: boolean
  readonly schema: JsonSchema
}

export interface OpenApiMediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface OpenApiResponse {
  readonly description: string
  readonly headers: Record<string, { readonly $ref: string }>
  readonly content?: Record<string, OpenApiMediaType>
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<Record<string, ReadonlyArray<string>>>
  readonly parameters: ReadonlyArray<OpenApiParameter>
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, OpenApiMediaType> }
  readonly responses: Record<string, OpenApiResponse>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly [key: string]: unknown }
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly security: ReadonlyArray<Record<string, ReadonlyArray<string>>>
  readonly paths: Record<string, Record<string, OpenApiOperation>>
  /** Requests that the service sends, by name. */
  readonly webhooks?: Record<string, Record<string, OpenApiOperation>>
  readonly components: {
    readonly schemas: Record<string, JsonSchema>
    readonly headers: Record<string, Header>
    readonly securitySchemes: Record<string, Record<string, unknown>>
  }
}
