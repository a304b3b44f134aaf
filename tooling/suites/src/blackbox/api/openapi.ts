import { beforeAll, describe, expect, test } from "vitest"
import { acme } from "../../support/acme.ts"
import { fullPath, type OpenApi, type Operation, type Parameter } from "../../support/contract.ts"
import { blackbox, bodyOf, type Running, type Target } from "../../support/target.ts"
import { independent } from "../targets.ts"

/** R21: the OpenAPI documents name every endpoint, parameter and status of the specification. */

type Row = [method: string, path: string, statuses: ReadonlyArray<number>]

const v2: ReadonlyArray<Row> = [
  ["get", "/api/v2/recordings", [200, 400, 401, 403]],
  ["get", "/api/v2/recordings/{uuid}", [200, 401, 403, 404]],
  ["patch", "/api/v2/recordings/{uuid}", [200, 400, 401, 403, 404, 415, 422]],
  ["get", "/api/v2/recordings/{uuid}/download", [200, 206, 401, 403, 404, 409, 416]],
  ["get", "/api/v2/recordings/{uuid}/transcript", [200, 400, 401, 403, 404]],
  ["get", "/api/v2/users", [200, 400, 401, 403]],
  ["get", "/api/v2/users/search", [200, 400, 401, 403, 404]]
]

const v1: ReadonlyArray<Row> = [
  ["get", "/api/v1/recordings", [200, 400, 401, 403]],
  ["get", "/api/v1/recordings/{uuid}", [200, 401, 403, 404]]
]

const providers = [
  "freshchat",
  "freshdesk",
  "freshdesk_chat",
  "freshservice",
  "helpscout",
  "hubspot",
  "intercom",
  "jira",
  "zendesk"
]

export const targets = independent

export const suite = (target: Target): void =>
  blackbox(target, "OpenAPI", () => {
    let running: Running
    let documents: { v2: OpenApi; v1: OpenApi }
    const load = async (version: string) => bodyOf<OpenApi>(await running.fetch(`/api/${version}/openapi.json`))
    beforeAll(async () => {
      running = await target.start(acme({}))
      documents = { v2: await load("v2"), v1: await load("v1") }
    }, 60_000)

    test("servers has the relative address first, then the absolute one from public_url", () => {
      const urls = ({ servers = [] }: OpenApi) => servers.map(({ url }) => url)
      for (const version of ["v1", "v2"] as const) {
        const [relative, ...others] = urls(documents[version])
        expect(relative).toMatch(new RegExp(`^(?:/worlds/\\w+)?/api/${version}$`))
        expect(others).toEqual([`${running.publicUrl}/api/${version}`])
      }
    })

    const operation = (document: OpenApi, method: string, path: string): Operation => {
      const entry = Object.entries(document.paths).find(([template]) => fullPath(document, template) === path)
      const found = entry?.[1][method]
      expect(found, `${method} ${path} among ${Object.keys(document.paths)}`).toBeDefined()
      return found as Operation
    }
    const parameters = (document: OpenApi, path: string): ReadonlyArray<Parameter> =>
      (operation(document, "get", path).parameters ?? []).map((parameter) =>
        parameter.$ref === undefined
          ? parameter
          : (document.components?.parameters?.[parameter.$ref.split("/").at(-1) ?? ""] ?? parameter)
      )
    const parameter = (document: OpenApi, path: string, name: string) => {
      const found = parameters(document, path).find((each) => each.name === name)
      expect(found, `${name} of ${path}`).toBeDefined()
      return found as Parameter
    }
    /** A schema's text, whatever way it was put together (`$ref`, `allOf`): the words are what counts here. */
    const words = (document: OpenApi, schema: unknown) => {
      const text = JSON.stringify(schema)
      const reference = /"#\/components\/schemas\/([^"]+)"/.exec(text)?.[1]
      const schemas = (document.components ?? {}) as { schemas?: Record<string, unknown> }
      return reference === undefined ? text : text + JSON.stringify(schemas.schemas?.[reference])
    }

    test("both documents are OpenAPI 3.1, served without a token, and v2 is version 2.0.0", () => {
      expect([documents.v2.openapi, documents.v1.openapi]).toEqual([
        expect.stringMatching(/^3\.1\.\d+$/),
        expect.stringMatching(/^3\.1\.\d+$/)
      ])
      expect(documents.v2.info.version).toBe("2.0.0")
    })

    test("every $ref has a target, and every schema compiles", async () => {
      const contract = await target.contract()
      expect(() => contract.compileAll()).not.toThrow()
    })

    describe("Endpoints", () => {
      test.each(v2)("v2 names %s %s with %j", (method, path, statuses) => {
        const named = Object.keys(operation(documents.v2, method, path).responses)
        expect(named).toEqual(expect.arrayContaining(statuses.map(String)))
      })

      test.each(v1)("v1 names %s %s with %j", (method, path, statuses) => {
        const named = Object.keys(operation(documents.v1, method, path).responses)
        expect(named).toEqual(expect.arrayContaining(statuses.map(String)))
      })

      test("v1 exposes only the two reads", () => {
        const paths = Object.keys(documents.v1.paths).map((template) => fullPath(documents.v1, template))
        expect(paths.filter((path) => !path.endsWith("openapi.json")).toSorted()).toEqual(v1.map(([, path]) => path))
      })

      test("the Bearer token is the security scheme", () => {
        const schemes = (documents.v2.components as { securitySchemes?: Record<string, unknown> }).securitySchemes ?? {}
        expect(Object.values(schemes)).toContainEqual(expect.objectContaining({ type: "http", scheme: "bearer" }))
        for (const [method, path] of v2) {
          const own = operation(documents.v2, method, path).security
          const common = (documents.v2 as { security?: ReadonlyArray<unknown> }).security
          expect((own ?? common ?? []).length, `${method} ${path}`).toBeGreaterThan(0)
        }
      })
    })

    describe("Parameters", () => {
      test.each(["/api/v2/recordings", "/api/v2/recordings/{uuid}/transcript", "/api/v2/users"])(
        "%s: page is an optional integer of at least 1",
        (path) => {
          const page = parameter(documents.v2, path, "page")
          expect([page.in, page.required ?? false]).toEqual(["query", false])
          expect(words(documents.v2, page.schema)).toMatch(/"type":"integer"/)
          expect(words(documents.v2, page.schema)).toMatch(/"minimum":1\b/)
        }
      )

      test("GET /recordings has ticket_id, and provider with its nine values", () => {
        const ticket = parameter(documents.v2, "/api/v2/recordings", "ticket_id")
        expect([ticket.in, ticket.required ?? false]).toEqual(["query", false])
        const provider = parameter(documents.v2, "/api/v2/recordings", "provider")
        expect([provider.in, provider.required ?? false]).toEqual(["query", false])
        const values = /"enum":(\[[^\]]+\])/.exec(words(documents.v2, provider.schema))?.[1] ?? "[]"
        expect((JSON.parse(values) as Array<string>).toSorted()).toEqual(providers)
      })

      test.each(v2.filter(([, path]) => path.includes("{uuid}")))(
        "%s %s has a required uuid in its path",
        (method, path) => {
          const all = operation(documents.v2, method, path).parameters ?? []
          const uuid = all.find((each) => each.name === "uuid")
          expect(uuid).toMatchObject({ in: "path", required: true })
          expect(words(documents.v2, uuid?.schema)).toMatch(/"format":"uuid"/)
        }
      )

      test("GET /users/search has a required email, in e-mail format", () => {
        const email = parameter(documents.v2, "/api/v2/users/search", "email")
        expect([email.in, email.required]).toEqual(["query", true])
        expect(words(documents.v2, email.schema)).toMatch(/"format":"email"/)
      })

      test("PATCH has a required JSON body", () => {
        const body = operation(documents.v2, "patch", "/api/v2/recordings/{uuid}").requestBody
        expect(body?.required).toBe(true)
        expect(Object.keys(body?.content ?? {})).toEqual(["application/json"])
        const text = words(documents.v2, body?.content["application/json"])
        for (const field of ["recording", "title", "summary", "description"]) expect(text).toContain(`"${field}"`)
      })

      test("v1 GET /recordings has page", () => {
        expect(parameter(documents.v1, "/api/v1/recordings", "page").in).toBe("query")
      })
    })

    describe("Responses", () => {
      test("GET /download has Content-Disposition, Content-Length and the four types", () => {
        const success = operation(documents.v2, "get", "/api/v2/recordings/{uuid}/download").responses["200"]
        expect(Object.keys(success?.headers ?? {}).map((name) => name.toLowerCase())).toEqual(
          expect.arrayContaining(["content-disposition", "content-length"])
        )
        expect(Object.keys(success?.content ?? {}).toSorted()).toEqual([
          "application/octet-stream",
          "video/mp4",
          "video/quicktime",
          "video/webm"
        ])
      })

      test("every refusal has the error shape of its version", () => {
        for (const [document, rows, field] of [
          [documents.v2, v2, '"error"'],
          [documents.v1, v1, '"message"']
        ] as const) {
          for (const [method, path] of rows) {
            for (const [status, response] of Object.entries(operation(document, method, path).responses)) {
              if (!status.startsWith("4")) continue
              const schema = response.content?.["application/json"]?.schema
              expect(words(document, schema ?? null), `${method} ${path} ${status}`).toContain(field)
            }
          }
        }
      })

      test("every operation has its own summary and description", () => {
        for (const [document, rows] of [
          [documents.v2, v2],
          [documents.v1, v1]
        ] as const) {
          for (const [method, path] of rows) {
            const { summary, description } = operation(document, method, path) as {
              summary?: string
              description?: string
            }
            expect(summary ?? description, `${method} ${path}`).toMatch(/\S/)
          }
        }
      })
    })
  })
