import { createHash } from "node:crypto"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Answer } from "./http.ts"

/** As much of an OpenAPI document as the suites read. */
export interface OpenApi {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers?: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> }
}

export interface Operation {
  readonly parameters?: ReadonlyArray<Parameter & { readonly $ref?: string }>
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
  readonly security?: ReadonlyArray<unknown>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>
}

interface Route {
  readonly pattern: RegExp
  readonly template: string
  readonly documentId: string
  readonly pointer: string
  readonly operations: Readonly<Record<string, Operation>>
}

/** What any operation may answer before it is known which operation it is (R1): no document need name these. */
const beforeRouting = new Set([405, 413, 414])

const escapePointer = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1")
const escapePattern = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&")

/**
 * The path of an operation as a client asks for it, below the address of its world: a document may keep a part of it in
 * `servers`.
 */
export const fullPath = (document: OpenApi, template: string): string => {
  const server = document.servers?.[0]?.url ?? ""
  const path = server === "" ? "" : new URL(server, "http://any.test").pathname.replace(/\/$/, "")
  const prefix = path.replace(/^\/worlds\/[^/]+/, "")
  return template.startsWith(`${prefix}/`) ? template : prefix + template
}

/** Validators of the schemas in some documents, each compiled at its first use. */
class Schemas {
  private readonly ajv: Ajv2020
  private readonly validators = new Map<string, ValidateFunction>()

  constructor(documents: ReadonlyArray<OpenApi>) {
    // Schemas compile in two thirds of the time where each `$ref` is a function of its own, and no code is optimized.
    const code = { optimize: false }
    this.ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, inlineRefs: false, code })
    addFormats.default(this.ajv)
    for (const [index, document] of documents.entries()) {
      const documentId = documentIdOf(index)
      this.ajv.addSchema({ ...document, $id: documentId }, documentId, false, false)
    }
  }

  validator(documentId: string, pointer: string): ValidateFunction {
    const reference = `${documentId}#${pointer.split("/").map(encodeURIComponent).join("/")}`
    const known = this.validators.get(reference)
    if (known !== undefined) return known
    const compiled = this.ajv.compile({ $ref: reference })
    this.validators.set(reference, compiled)
    return compiled
  }

  errorsText(validate: ValidateFunction): string {
    return this.ajv.errorsText(validate.errors, { dataVar: "body", separator: "\n" })
  }
}

const documentIdOf = (index: number) => `document-${index}`

/** By the text of their documents: targets publish the same ones, and compiling them takes seconds. */
const schemasOf = new Map<string, Schemas>()

/** The schemas of documents, shared by all contracts of this process; `servers` names a port, and has no schema. */
const sharedSchemas = (documents: ReadonlyArray<OpenApi>): Schemas => {
  const text = JSON.stringify(documents.map((document) => ({ ...document, servers: undefined })))
  const key = createHash("sha256").update(text).digest("hex")
  const schemas = schemasOf.get(key) ?? new Schemas(documents)
  schemasOf.set(key, schemas)
  return schemas
}

/** Holds answers against the OpenAPI documents that the service itself publishes. */
export class Contract {
  private readonly violations: Map<string, string>
  private readonly schemas: Schemas
  private readonly routes: Array<Route> = []

  /** `common`: the contract that takes note of this one's violations too. */
  constructor(documents: ReadonlyArray<OpenApi>, common?: Contract) {
    this.violations = common?.violations ?? new Map()
    this.schemas = sharedSchemas(documents)
    documents.forEach((document, index) => {
      const documentId = documentIdOf(index)
      for (const [template, operations] of Object.entries(document.paths)) {
        const path = escapePattern(fullPath(document, template))
        this.routes.push({
          pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
          template,
          documentId,
          pointer: `/paths/${escapePointer(template)}`,
          operations
        })
      }
    })
    // `/users/search` is asked for before a template that would match it too.
    this.routes.sort((left, right) => left.template.split("{").length - right.template.split("{").length)
  }

  /** Notes what in an answer the documents do not allow. Paths and methods that no document names are passed over. */
  check(answer: Answer): void {
    const path = answer.path.split("?")[0] ?? ""
    const route = this.routes.find(({ pattern }) => pattern.test(path))
    const method = answer.method.toLowerCase()
    const operation = route?.operations[method]
    const note = (problem: string) => {
      if (!this.violations.has(problem)) this.violations.set(problem, String(answer))
    }
    if (answer.header("x-request-id") === undefined) note(`R3: ${answer.status} without X-Request-Id`)
    if (route === undefined || operation === undefined || beforeRouting.has(answer.status)) return
    const response = operation.responses[String(answer.status)]
    if (response === undefined) return void note(`${method} ${route.template} names no status ${answer.status}`)
    if (response.content === undefined) {
      if (answer.body.length > 0) note(`${method} ${route.template} names no body for ${answer.status}`)
      return
    }
    const type = (answer.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
    const content = response.content[type] ?? response.content["*/*"]
    if (content === undefined) return void note(`${method} ${route.template} ${answer.status} names no ${type}`)
    if (type !== "application/json" || content.schema === undefined) return
    const pointer = `${route.pointer}/${method}/responses/${answer.status}/content/${escapePointer(type)}/schema`
    const validate = this.schemas.validator(route.documentId, pointer)
    if (!validate(answer.as()))
      note(`${method} ${route.template} ${answer.status}: ${this.schemas.errorsText(validate)}`)
  }

  /** What was noted since the last call: each problem with the first exchange that showed it. */
  takeViolations(): ReadonlyMap<string, string> {
    const taken = new Map(this.violations)
    this.violations.clear()
    return taken
  }

  /** Compiles every schema of every answer, so that a dangling `$ref` shows. */
  compileAll(): void {
    for (const route of this.routes) {
      for (const [method, operation] of Object.entries(route.operations)) {
        if (typeof operation !== "object" || operation.responses === undefined) continue
        for (const [status, response] of Object.entries(operation.responses)) {
          for (const [type, { schema }] of Object.entries(response.content ?? {})) {
            if (schema === undefined) continue
            this.schemas.validator(
              route.documentId,
              `${route.pointer}/${method}/responses/${status}/content/${escapePointer(type)}/schema`
            )
          }
        }
      }
    }
  }
}
