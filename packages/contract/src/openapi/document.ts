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
import { type GeneratedOperation, generate } from "./generate.ts"
import { type Header, headers, headersOf } from "./headers.ts"
import { exampleOf, type JsonSchema, jsonValue, mapValues, readable } from "./schemas.ts"
import type { OpenApiDocument, OpenApiMediaType, OpenApiOperation, OpenApiOptions, OpenApiParameter } from "./types.ts"
import { webhooksOf } from "./webhooks.ts"

/** Returns the OpenAPI 3.1 document of v2, which a service serves at `/api/v2/openapi.json`. */
export const openApiV2 = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiV2,
    { root: "/api/v2", version: "v2", errors: `${errorsV2}.`, isPaged: true, hasWebhooks: true, ...bearer(personal) },
    options
  )

/** Returns the OpenAPI 3.1 document of v1, which a service serves at `/api/v1/openapi.json`. */
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

/** Returns the OpenAPI 3.1 document of the settings API, which a service serves at `/api/settings/openapi.json`. */
export const openApiSettings = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiSettings,
    {
      root: "/api/settings",
      version: "v2",
      errors:
        `${errorsV2}, as in v2; a 422 names every invalid field. Unknown keys of a body and unknown query parameters are refused ` +
        "with 400: the message names each, and suggests the known name that it resembles. The audit log records each change.",
      isPaged: true,
      ...bearer(
        "A personal access token, which has the permissions of its user, sent as `Authorization: Bearer <ACCESS_TOKEN>`; or the session of a " +
          "signed-in user, which a browser sends as a cookie. Access tokens can be managed with a session only."
      )
    },
    options
  )

/** Returns the OpenAPI 3.1 document of the capture API, which a service serves at `/api/capture/openapi.json`. */
export const openApiCapture = (options: OpenApiOptions): OpenApiDocument =>
  document(
    ApiCapture,
    {
      root: "/api/capture",
      version: "v2",
      errors:
        `${errorsV2}, as in v2. The video of a capture is uploaded to its \`video_url\` by tus 1.0.0 (creation, ` +
        "creation-with-upload, creation-defer-length, expiration, termination) during the recording: each run of the recorder is " +
        "one upload, with its number in the metadata `part`. Pages on the origins of a site can call this API for captures on the site.",
      isPaged: false,
      scheme: "capture",
      security: {
        type: "apiKey",
        in: "header",
        name: "Authorization",
        description:
          "Token of the capture in the path, sent as `Capture <capture_token>`. It is valid for this capture only."
      }
    },
    options
  )

const errorsV2 = 'Errors are `{"error": "…"}`'

const personal =
  "A personal access token, which a user creates in the personal settings, sent as `Authorization: Bearer <ACCESS_TOKEN>`."

const bearer = (description: string): Pick<Description, "scheme" | "security"> => ({
  scheme: "bearer",
  security: { type: "http", scheme: "bearer", description }
})

/** Properties of an API that its definition does not have. */
interface Description {
  readonly root: string
  /** The version whose shape errors have. */
  readonly version: ApiVersion
  readonly errors: string
  /** True if the API has lists, and checks requests in the order of v2. */
  readonly isPaged: boolean
  /** True if the document describes the requests that the service sends. */
  readonly hasWebhooks?: true
  /** The name of the security scheme that `security` defines. */
  readonly scheme: string
  readonly security: Record<string, unknown>
}

const document = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  description: Description,
  options: OpenApiOptions
): OpenApiDocument => {
  const { root, scheme, security } = description
  const generated = generate(api)
  const sent = description.hasWebhooks ? webhooksOf(options) : undefined
  const typed = { ...generated.schemas, ...sent?.schemas }
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
    tags: [...generated.tags, ...(sent?.tags ?? [])],
    security: [{ [scheme]: [] }],
    paths,
    ...(sent && { webhooks: sent.webhooks }),
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

/** The ids of operations whose body may be omitted. */
const optionalBodies = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlySet<string> =>
  new Set(
    endpointsOf(api)
      .filter(hasOptionalBody)
      .flatMap(({ annotations }) => Option.toArray(Context.getOption(annotations, OpenApi.Identifier)))
  )

/** Paths whose operations need no token. */
const openPaths = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> =>
  endpointsOf(api).flatMap(({ middlewares, path }) =>
    new Set<unknown>(middlewares).has(Anyone) ? [path.replaceAll(/:(\w+)/g, "{$1}")] : []
  )

/** The servers of a document: the relative address first, because it is valid for every copy of the document. */
const serversOf = (root: string, { publicUrl, serverUrl = root }: OpenApiOptions): OpenApiDocument["servers"] => [
  { url: serverUrl, description: "The service that served this document." },
  ...(publicUrl === undefined ? [] : [{ url: `${publicUrl}${root}`, description: "Public address of the service." }])
]

/** The headers of all responses. */
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
    `Lists have ${pageSize} records a page. Every path with GET supports HEAD, too.`,
    "A request is checked in this order: size (414, 413), token (401), rate (429), path and method " +
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
      // Effect joins the descriptions of several errors of one status.
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

/** Schemas of parameters that are numbers, although the wire has text. */
const integers: Readonly<Record<string, JsonSchema>> = {
  page: { ...integer, default: 1, examples: [2] },
  owner: { ...integer, examples: [1] },
  items: { type: "integer", minimum: 1, maximum: 100, examples: [6] },
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

/** The content of a request body: JSON with an example, else the schema alone. */
const requestBody = (schemas: Record<string, JsonSchema>) => (content: OpenApiMediaType, type: string) =>
  type === "application/json" ? withExample(schemas)(content) : { schema: content.schema }

/** The schema of a body that several errors of one status share, without repetition. */
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
