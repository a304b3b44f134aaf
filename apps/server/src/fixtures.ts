import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import {
  decodeAll,
  loadStartDocument,
  type MadeDocument,
  PartialWorldConfig,
  pathText,
  StartDocumentInvalid
} from "@tapedeck/core"
import { Effect, Result } from "effect"
import { parse } from "yaml"

/** A start document as a file has it: the knobs that it turns, and what the store is to hold. */
export interface Fixtures {
  readonly config: PartialWorldConfig
  readonly load: ReturnType<typeof loadStartDocument>
}

/** Reads and parses the file (JSON is YAML). Throws where it cannot be read; what is wrong with its config fails by name. */
export const readFixtures = Effect.fnUntraced(function* (file: string) {
  const { config = {}, ...document } = parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>
  const decoded = decodeAll(PartialWorldConfig)(config)
  if (Result.isFailure(decoded)) {
    const problems = decoded.failure.map(({ message, path }) => ({ path: pathText(["config", ...path]), message }))
    return yield* new StartDocumentInvalid({ problems })
  }
  const readFile = (path: string) => readFileSync(resolve(dirname(file), path))
  const { vendor = "Tapedeck" } = decoded.success
  const fixtures: Fixtures = {
    config: decoded.success,
    load: loadStartDocument(document, { vendor, allowHttp: false, readFile })
  }
  return fixtures
})

/** By e-mail address: the token to send. */
export const tokensOf = (made: MadeDocument): Readonly<Record<string, string>> =>
  Object.fromEntries(made.users.map(({ email, token }) => [email, token]))
