import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from "../openapi/types.ts"
import { escape, paragraphs, pretty, prose } from "./html.ts"
import { properties, table, typeOf } from "./schema.ts"
import { style } from "./style.ts"

/** A version of the API, and its document. `name` is the prefix of its anchors. */
interface Version {
  readonly name: string
  readonly document: OpenApiDocument
}

/** Renders the documents of the API as one page of plain HTML and CSS, without scripts and without requests to the network. */
export const apiDocs = (documents: {
  readonly v2: OpenApiDocument
  readonly v1: OpenApiDocument
  readonly settings: OpenApiDocument
  readonly capture: OpenApiDocument
}): string => {
  const versions = Object.entries(documents).map(([name, document]) => ({ name, document }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(documents.v2.info.title)}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Contents"><strong>${escape(documents.v2.info.title)}</strong>${versions.map(contents).join("")}</nav>
<main>${versions.map(chapter).join("")}</main>
</body>
</html>
`
}

interface Operation {
  /** Address of the requests: a path below the base path, or a receiver's URL. */
  readonly address: string
  readonly method: string
  readonly operation: OpenApiOperation
}

const operationsOf = ({ document }: Version): ReadonlyArray<Operation> => {
  const root = document.servers[0]?.url ?? ""
  const listed = (addressOf: (key: string) => string, all: OpenApiDocument["paths"] = {}) =>
    Object.entries(all).flatMap(([key, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ address: addressOf(key), method, operation }))
    )
  return [...listed((path) => root + path, document.paths), ...listed(() => "URL of the receiver", document.webhooks)]
}

const contents = (version: Version): string => {
  const { name, document } = version
  const operations = operationsOf(version)
    .map(({ operation }) => `<a href="#${name}-${operation.operationId}">${escape(operation.summary)}</a>`)
    .join("")
  const schemas = Object.keys(document.components.schemas)
    .map((schema) => `<a href="#${name}-${schema}">${escape(schema)}</a>`)
    .join("")
  return `<h2>${escape(name)}</h2>${operations}<details><summary>Schemas</summary>${schemas}</details>`
}

const chapter = (version: Version): string => {
  const { name, document } = version
  const root = document.servers[0]?.url ?? ""
  const schemas = Object.entries(document.components.schemas)
    .map(
      ([schema, definition]) =>
        `<h3 id="${name}-${schema}">${escape(schema)}</h3><p>${prose(definition.description ?? "")}</p>${
          definition.properties === undefined
            ? table([{ name: schema, schema: { ...definition, description: "" } }], name)
            : properties(definition, name)
        }`
    )
    .join("")
  return `<section id="${name}"><h1>${escape(document.info.title)} <small>${escape(document.info.version)}</small></h1>
${paragraphs(String(document.info.description ?? ""))}
<p>Base path <code>${escape(root)}</code>. As a document: <a href="${escape(root)}/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
<p>${prose(String(document.components.securitySchemes.bearer?.description ?? ""))}</p>
${operationsOf(version)
  .map((one) => operationSection(version, one))
  .join("")}
<h2>Schemas</h2>${schemas}</section>`
}

const operationSection = ({ name, document }: Version, { address, method, operation }: Operation): string => {
  const body = operation.requestBody?.content["application/json"]
  const parameters = operation.parameters.map((parameter) => ({
    ...parameter,
    note: parameter.required ? parameter.in : `${parameter.in}, optional`
  }))
  return `<h2 id="${name}-${operation.operationId}">${escape(operation.summary)}</h2>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span><span>${escape(address)}</span></p>
${paragraphs(operation.description)}
${parameters.length === 0 ? "" : `<h4>Parameters</h4>${table(parameters, name)}`}
${body === undefined ? "" : `<h4>Body</h4>${properties(named(document, body.schema), name)}${pretty(body.example)}`}
<h4>Responses</h4>${Object.entries(operation.responses)
    .map(([status, response]) => answer(document, name, status, response))
    .join("")}`
}

const named = ({ components }: OpenApiDocument, schema: { readonly $ref?: string }) =>
  components.schemas[schema.$ref?.slice("#/components/schemas/".length) ?? ""] ?? schema

const answer = ({ components }: OpenApiDocument, prefix: string, status: string, response: OpenApiResponse): string => {
  const headers = Object.keys(response.headers).flatMap((name) => {
    const header = components.headers[name]
    return header === undefined || name === "X-Request-Id" ? [] : [{ name, ...header }]
  })
  const json = response.content?.["application/json"]
  const types = json === undefined ? Object.keys(response.content ?? {}) : []
  return `<details${status === "200" ? " open" : ""}><summary><span class="status${Number(status) >= 400 ? " bad" : ""}">${status}</span> ${prose(response.description)}</summary>
${headers.length === 0 ? "" : table(headers, prefix)}${types.length === 0 ? "" : `<p>${types.map((type) => `<code>${type}</code>`).join(" ")}</p>`}${
  json === undefined ? "" : `<p class="type">${typeOf(json.schema, prefix)}</p>${pretty(json.example)}`
}</details>`
}
