import { Effect, Result } from "effect"
import { Store } from "../Store.ts"
import { checkDocument } from "./check.ts"
import { contextOf, type StartDocumentOptions } from "./context.ts"
import { inDocumentOrder, type Lenient, withoutRefused } from "./lenient.ts"
import { makeDocument } from "./make.ts"
import {
  decodeAll,
  type Found,
  pathText,
  reportsFirstProblem,
  StartDocumentInvalid,
  unstorableText
} from "./problems.ts"
import { StartDocument } from "./schema.ts"

export type { LoadedDocument, MadeDocument } from "./make.ts"

/**
 * Loads a start document, parsed and otherwise as it came in, into the store: the whole of it, or nothing and everything
 * that is wrong with it. It fires nothing and makes no audit entry (emulator.md, Start document).
 */
export const loadStartDocument = Effect.fnUntraced(function* (input: unknown, options: StartDocumentOptions) {
  const store = yield* Store
  return yield* store.transaction(load(input, options))
})

const load = Effect.fnUntraced(function* (input: unknown, options: StartDocumentOptions) {
  const decoded = decodeAll(StartDocument)(input)
  if (Result.isFailure(decoded) && reportsFirstProblem(input)) return yield* invalid(decoded.failure, input)
  const refused = [...(Result.isFailure(decoded) ? decoded.failure : []), ...unstorableText(input)]
  const rest =
    refused.length === 0 && Result.isSuccess(decoded)
      ? decoded.success
      : (withoutRefused(
          Result.isSuccess(decoded) ? decoded.success : input,
          refused.map(({ path }) => path)
        ) as Lenient<StartDocument> | undefined)
  if (rest === undefined) return yield* invalid(refused, input)
  const { accounts, context } = yield* contextOf(rest, options)
  const found = [...refused, ...checkDocument(rest, context)]
  if (Result.isFailure(decoded) || found.length > 0) return yield* invalid(found, input)
  return yield* makeDocument(decoded.success, accounts, context)
})

const invalid = (found: ReadonlyArray<Found>, input: unknown): StartDocumentInvalid => {
  const order = inDocumentOrder(input)
  const problems = found.toSorted((one, other) => order(one.path, other.path))
  return new StartDocumentInvalid({
    problems: problems.map(({ message, path }) => ({ path: pathText(path), message }))
  })
}
