import { HelpdeskPlatform } from "@tapedeck/domain"
import { Context, Option } from "effect"
import { type HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { hasOptionalBody } from "../about.ts"
import { Api as ApiCapture } from "../capture/Api.ts"
import type { ApiVersion } from "../errors.ts"
import { Api as ApiSettings } from "../settings/Api.ts"
import { Anyone } from "../settings/middleware.ts"
import { Api as ApiV1 } from "../v1/Api.ts"
import { Api as ApiV2 } from "../v2/Api.ts"
import { errorExample } from "./errorExamples.ts"
import { type Header, headers, headersOf } from "./headers.ts"
import { exampleOf, type JsonSchema, jsonValue, mapValues, readable, withJsonValues } from "./schemas.ts"

/** What a document depends on besides the contract: the settings of the service that it describes. */
export interface OpenApiOptions {
  /** In lower case, the own-app value of `platform`. */
  readonly vendor: string
  /** Items on a page of a list; 100 unless given. */
  readonly pageSize?: number
  /** Where the API's root is; relative to the document's host unless it is a full address. */
  readonly serverUrl?: string
  /** The origin and path at which the service is known, without a slash at its end; the second of `servers`. */
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
  readonly components: {
    readonly schemas: Record<string, JsonSchema>
    readonly headers: Record<string, Header>
    readonly securitySchemes: Record<string, Record<string, unknown>>
  }
}

/** The OpenAPI 3.1 document of v2, as it is served at `/api/v2/openapi.json`. */
export const openApiV2 = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiV2,
    { root: "/api/v2", version: "v2", errors: `${errorsV2}.`, isPaged: true, ...bearer(personal) },
    options
  )

/** The OpenAPI 3.1 document of v1, as it is served at `/api/v1/openapi.json`. */
export const openApiV1 = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiV1,
    {
      root: "/api/v1",
      version: "v1",
      errors: 'Errors are `{"error": {"message": "…", "code": 404}}`. No request has a body.',
      isPaged: true,
      ...bearer(personal)
    },
    options
  )

/** The OpenAPI 3.1 document of the settings API, as it is served at `/api/settings/openapi.json`. */
export const openApiSettings = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiSettings,
    {
      root: "/api/settings",
      version: "v2",
      errors:
        `${errorsV2}, as v2's; a 422 names every field that is wrong. Unknown keys of a body and unknown query ` +
        "parameters are 400: the message names each, and the known one that it was probably meant to be. " +
        "Each change is in the audit log.",
      isPaged: true,
      ...bearer(
        "The session of a signed-in user, or a personal access token with its user's rights; access tokens are managed " +
          "with a session only. Sent as `Authorization: Bearer …`; a browser sends the cookie that signing in gave it instead."
      )
    },
    options
  )

/** The OpenAPI 3.1 document of the capture API, as it is served at `/api/capture/openapi.json`. */
export const openApiCapture = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiCapture,
    {
      root: "/api/capture",
      version: "v2",
      errors:
        `${errorsV2}, as v2's. A capture's video is sent to its \`video_url\` by tus 1.0.0 (creation, ` +
        "creation-with-upload, creation-defer-length, expiration, termination), while it is recorded: each run of the recorder is " +
        "one upload, whose number is the metadata `part`. Pages of other origins may call for a site's captures, from the site's " +
        "origins.",
      isPaged: false,
      scheme: "capture",
      security: {
        type: "apiKey",
        in: "header",
        name: "Authorization",
        description: "`Capture <capture_token>`: the token of the capture in the path, which opens nothing else."
      }
    },
    options
  )

const errorsV2 = 'Errors are `{"error": "…"}`'

const personal =
  "A personal access token, made in the personal settings and sent as `Authorization: Bearer <ACCESS_TOKEN>`."

const bearer = (description: string): Pick<Description, "scheme" | "security"> => ({
  scheme: "bearer",
  security: { type: "http", scheme: "bearer", description }
})

/** What is said of an API besides its definition. */
interface Description {
  readonly root: string
  /** In whose shape errors come. */
  readonly version: ApiVersion
  readonly errors: string
  /** Whether it has lists, and v2's order of checks. */
  readonly isPaged: boolean
  /** The name of the security scheme, which `security` defines. */
  readonly scheme: string
  readonly security: Record<string, unknown>
}

/** Annotations of the wire schemas that are JSON Schema keywords which Effect does not carry over by itself. */
const keywords = new Set(["minLength", "maxLength", "minProperties"])
const generation: OpenApi.FromApiOptions = { includeAnnotationKey: (key) => keywords.has(key) }

/** What Effect generates from the definitions; described loosely, since it is read here and nowhere else. */
interface Generated {
  readonly info: OpenApiDocument["info"]
  readonly tags: OpenApiDocument["tags"]
  readonly paths: Record<string, Record<string, GeneratedOperation>>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

interface GeneratedOperation extends Omit<OpenApiOperation, "responses"> {
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, { readonly schema: JsonSchema }> }
  >
}

const document = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  description: Description,
  options: OpenApiOptions
): OpenApiDocument => {
  const { root, scheme, security } = description
  const generated = OpenApi.fromApi(api, generation) as unknown as Generated
  const typed = mapValues(generated.components.schemas, (schema) => withJsonValues(readable(schema)))
  const hasJsonValues = JSON.stringify(typed).includes('/JsonValue"')
  const schemas = hasJsonValues ? { ...typed, JsonValue: jsonValue } : typed
  const components =
    schemas.Platform === undefined ? schemas : { ...schemas, Platform: platform(schemas.Platform, options) }
  const open = openPaths(api)
  const bodiless = optionalBodies(api)
  const paths = Object.fromEntries(
    Object.entries(generated.paths).map(([path, operations]) => [
      path.slice(root.length),
      mapValues(operations, (operation) => {
        const described = describe(operation, components, description)
        const { requestBody } = described
        return {
          ...described,
          ...(requestBody && { requestBody: { ...requestBody, required: !bodiless.has(operation.operationId) } }),
          ...(open.includes(path) && { security: [] })
        }
      })
    ])
  )
  return {
    openapi: "3.1.0",
    info: { ...generated.info, description: about(description, options) },
    servers: serversOf(root, options),
    tags: generated.tags,
    security: [{ [scheme]: [] }],
    paths,
    components: {
      schemas: components,
      headers: headersIn(paths),
      securitySchemes: { [scheme]: security }
    }
  }
}

const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>({
  groups
}: HttpApi.HttpApi<Id, Groups>): ReadonlyArray<HttpApiEndpoint.Top> =>
  Object.values(groups as unknown as Readonly<Record<string, HttpApiGroup.Top>>).flatMap(({ endpoints }) =>
    Object.values(endpoints as Readonly<Record<string, HttpApiEndpoint.Top>>)
  )

/** The ids of operations whose body may be missing. */
const optionalBodies = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlySet<string> =>
  new Set(
    endpointsOf(api)
      .filter(hasOptionalBody)
      .flatMap(({ annotations }) => Option.toArray(Context.getOption(annotations, OpenApi.Identifier)))
  )

/** Paths that take no token. */
const openPaths = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> =>
  endpointsOf(api).flatMap(({ middlewares, path }) =>
    new Set<unknown>(middlewares).has(Anyone) ? [path.replaceAll(/:(\w+)/g, "{$1}")] : []
  )

/** The relative address first: it holds wherever the document was read from. */
const serversOf = (root: string, { publicUrl, serverUrl = root }: OpenApiOptions): OpenApiDocument["servers"] => [
  { url: serverUrl, description: "The service that this document was read from." },
  ...(publicUrl === undefined ? [] : [{ url: `${publicUrl}${root}`, description: "The service's public address." }])
]

/** The headers that some answer carries. */
const headersIn = (paths: OpenApiDocument["paths"]): Record<string, Header> => {
  const used = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap((operation) => Object.values(operation.responses))
    .flatMap((response) => Object.keys(response.headers))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => used.includes(name)))
}

const about = ({ errors, isPaged }: Description, { pageSize = 100 }: OpenApiOptions): string => {
  const answers = `Responses are JSON${isPaged ? ", except the video download" : ""}. Each carries \`X-Request-Id\`.`
  if (!isPaged) return [answers, errors].join("\n\n")
  return [
    answers,
    errors,
    `Lists have ${pageSize} records a page. HEAD answers wherever GET does, without a body.`,
    "What is wrong with a request is looked for in this order: size (414, 413), token (401), rate (429), path and method " +
      "(404, 405), API access and permission (403), query and content type (400, 415), the record (404), its state " +
      "(409, 416), the values (422)."
  ].join("\n\n")
}

const platform = (schema: JsonSchema, { vendor }: OpenApiOptions): JsonSchema => ({
  ...schema,
  enum: [...HelpdeskPlatform.literals, vendor.toLowerCase()]
})

const describe = (
  operation: GeneratedOperation,
  schemas: Record<string, JsonSchema>,
  { scheme, version }: Description
): OpenApiOperation => ({
  ...operation,
  security: [{ [scheme]: [] }],
  parameters: operation.parameters.map((parameter) => describeParameter(parameter)),
  ...(operation.requestBody && {
    requestBody: { ...operation.requestBody, content: mapValues(operation.requestBody.content, requestBody(schemas)) }
  }),
  responses: mapValues(operation.responses, ({ description, content }, status) => {
    const isKeyed = operation.parameters.some(({ name }) => name === "idempotency-key")
    const isFile = content !== undefined && content["application/json"] === undefined
    return {
      // Effect joins what several errors of one status say.
      description: isFile && status === "200" ? "The whole file." : description.replaceAll(" | ", " "),
      headers: Object.fromEntries(
        (["X-Request-Id", ...headersOf(Number(status), isFile, isKeyed)] as const).map((name) => [
          name,
          { $ref: `#/components/headers/${name}` }
        ])
      ),
      ...(content && { content: mapValues(content, mediaType(isFile, schemas, errorExample(version, Number(status)))) })
    }
  })
})

const integer: JsonSchema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

/** What travels as text and is a number to a reader. */
const integers: Readonly<Record<string, JsonSchema>> = {
  page: { ...integer, default: 1, examples: [2] },
  owner: { ...integer, examples: [1] },
  status_code: { type: "integer", minimum: 100, maximum: 599, examples: [503] },
  user: { ...integer, examples: [1] }
}

const describeParameter = (parameter: OpenApiParameter): OpenApiParameter => {
  const { description = "", ...schema } = readable(parameter.schema)
  const name = parameter.in === "header" ? headerCase(parameter.name) : parameter.name
  return { ...parameter, name, description, schema: integers[name] ?? schema }
}

const headerCase = (name: string): string => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

const withExample =
  (schemas: Record<string, JsonSchema>) =>
  ({ schema }: OpenApiMediaType): OpenApiMediaType => ({ schema, example: exampleOf(schema, schemas) })

/** A file's bytes are `format: binary`, which generators know; what is text is a string. */
const requestBody = (schemas: Record<string, JsonSchema>) => (content: OpenApiMediaType, type: string) =>
  type === "application/json" ? withExample(schemas)(content) : { schema: content.schema }

/** Several errors of one status have the same body: it is named once. */
const once = (schema: JsonSchema): JsonSchema => {
  const [first, ...others] = schema.anyOf ?? []
  const isSame = first !== undefined && others.every((other) => JSON.stringify(other) === JSON.stringify(first))
  return isSame ? first : schema
}

const mediaType =
  (isFile: boolean, schemas: Record<string, JsonSchema>, error: unknown) =>
  (content: OpenApiMediaType): OpenApiMediaType => {
    if (isFile) return { schema: content.schema }
    return error === undefined ? withExample(schemas)(content) : { schema: once(content.schema), example: error }
  }
