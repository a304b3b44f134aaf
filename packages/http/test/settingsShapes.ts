import { ErrorV2, settings } from "@tapedeck/contract"
import { Schema } from "effect"
import { expect } from "vitest"

interface Answer {
  readonly method: string
  readonly pattern: RegExp
  /** By status. */
  readonly schemas: ReadonlyMap<number, Schema.Codec<unknown, unknown>>
}

const statusOf = ({ ast }: Schema.Top) => (ast.context?.annotations?.httpApiStatus as number | undefined) ?? 200

/** What each endpoint answers when it does not refuse, by the contract. */
const answers: ReadonlyArray<Answer> = Object.values(settings.Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path, success }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/:[a-z_]+/g, "[^/]+")}$`),
    schemas: new Map(
      [...Map.groupBy(success, statusOf)].map(([status, schemas]) => [
        status,
        Schema.Union(schemas as unknown as ReadonlyArray<Schema.Codec<unknown, unknown>>)
      ])
    )
  }))
)

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it expects, and fails where they are not
type Body = any

/** The body of an answer; JSON is checked against the contract, unknown keys included. */
export const settingsBody = async (method: string, target: string, response: Response): Promise<Body> => {
  const path = target.split("?")[0] ?? ""
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  if (response.status === 204) {
    expect(await response.text()).toBe("")
    return undefined
  }
  if (response.headers.get("content-type") !== "application/json") return new Uint8Array(await response.arrayBuffer())
  const body: unknown = await response.json()
  const answer = answers.find((one) => one.method === method && one.pattern.test(path))
  const schema = (response.status < 400 && answer?.schemas.get(response.status)) || ErrorV2
  // As it came: decoding would drop what the contract does not know, and say so.
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })(body)
  return body
}
