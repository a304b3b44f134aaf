import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { UNSTORABLE_TEXT, unstorableTextPaths } from "../storableText.ts"
import { suggest } from "../suggest.ts"
import { holdsUndefined, type Path, withoutUndefined } from "./lenient.ts"

/** An error of the input and its path. */
export interface Found {
  readonly path: Path
  readonly message: string
  /** Whether the path names a key that the schema does not have. */
  readonly isUnknownKey?: true
}

/** Records an error at a path. */
export type Report = (path: Path, message: string) => void

/** Reports below `prefix`. */
export const within =
  (report: Report, ...prefix: Path): Report =>
  (path, message) =>
    report([...prefix, ...path], message)

/** `recordings[0].user`, `automations[1].headers.X-Foo`; a key that does not read as one is quoted: `headers["a b"]`. */
export const pathText = (path: Path): string => {
  let written = ""
  for (const key of path) {
    if (typeof key === "number") written += `[${key}]`
    else if (!/^[\w-]+$/.test(key)) written += `[${JSON.stringify(key)}]`
    else written += written === "" ? key : `.${key}`
  }
  return written
}

/** One thing that is wrong with what came in, as the control plane answers it. The path is empty for the whole of it. */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type

/** `path: message`, as one line. */
export const problemLine = ({ message, path }: Problem): string => (path === "" ? message : `${path}: ${message}`)

/** Of input with more values than this, only the first problem is reported: a problem takes a hundred times its text. */
export const MAX_VALUES_WITH_ALL_PROBLEMS = 10_000

/** Whether only the first problem of this input is reported. */
export const reportsFirstProblem = (input: unknown): boolean => {
  let left = MAX_VALUES_WITH_ALL_PROBLEMS - 1
  const waiting = [input]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== "object" || value === null) continue
    const inner: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.values(value)
    left -= inner.length
    if (left < 0) return true
    waiting.push(...inner)
  }
  return false
}

/**
 * Everything that a schema finds wrong with `input` (the first thing only, where `reportsFirstProblem`): unknown keys at
 * every level, what is missing, what cannot be. Keys whose value is `undefined` count as left out, as they do in JSON.
 */
export const decodeAll =
  <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  (input: unknown): Result.Result<S["Type"], ReadonlyArray<Found>> => {
    const options = { onExcessProperty: "error", reportInput: true } as const
    const first = SchemaParser.decodeUnknownResult(schema, { ...options, errors: "first" })(input)
    if (Result.isSuccess(first)) return Result.succeed(first.success)
    const reportsFirst = reportsFirstProblem(input)
    // Copying a document costs as much as checking it, and hardly one needs it.
    if (reportsFirst && !holdsUndefined(input)) return Result.fail(findings(first.failure, []))
    const errors = reportsFirst ? "first" : "all"
    const result = SchemaParser.decodeUnknownResult(schema, { ...options, errors })(withoutUndefined(input))
    return Result.mapError(result, (issue) => findings(issue, []))
  }

/** Where a JSON value has text that no store keeps. */
export const unstorableText = (input: unknown): ReadonlyArray<Found> =>
  unstorableTextPaths(input).map((path) => ({ path, message: UNSTORABLE_TEXT }))

/** The problems of a schema issue, for input that was decoded elsewhere. */
export const problemsIn = (issue: SchemaIssue.Issue): ReadonlyArray<Problem> =>
  findings(issue, []).map(({ message, path }) => ({ path: pathText(path), message }))

const findings = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      return findings(issue.issue, [...path, ...(issue.path as Path)])
    case "Encoding":
      return findings(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((one) => findings(one, path))
    case "AnyOf": {
      const members = issue.issues.flatMap((one) => findings(one, path))
      // What no member's kind of value is says the union; one member that it nearly was says more.
      const isNoneOfThem = members.length !== 1 && members.every((one) => one.path.length === path.length)
      if (!isNoneOfThem) return members
      return [...unknownInAll(issue, path), { path, message: said(issue.ast.annotations) }]
    }
    case "Filter":
      return issue.issue._tag === "InvalidValue"
        ? [{ path, message: said(issue.filter.annotations, issue.issue.annotations) }]
        : findings(issue.issue, path)
    case "MissingKey":
      return [{ path, message: "is required" }]
    case "UnexpectedKey":
      return [new UnknownKey(path, namesOf(issue.ast))]
    case "InvalidType":
    case "OneOf":
      return [{ path, message: said(issue.ast.annotations) }]
    case "InvalidValue":
    case "Forbidden":
      return [{ path, message: said(issue.annotations) }]
  }
}

/** The keys that no member of a union has, where the input is an object that is taken for none of them. */
const unknownInAll = ({ ast, input, issues }: SchemaIssue.AnyOf, path: Path): ReadonlyArray<Found> => {
  if (issues.length > 0 || typeof input !== "object" || input === null || Array.isArray(input)) return []
  const names = ast.types.flatMap(namesOf)
  if (names.length === 0) return []
  return Object.keys(input)
    .filter((key) => !names.includes(key))
    .map((key) => new UnknownKey([...path, key], names))
}

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const said = (...annotations: ReadonlyArray<{ readonly message?: unknown } | undefined>): string => {
  const message = annotations.map((one) => one?.message).find((one) => typeof one === "string")
  return message ?? "is not valid"
}

/** The nearest known key is searched when the message is read, because few of possibly 100,000 unknown keys are reported. */
class UnknownKey implements Found {
  readonly path: Path
  readonly isUnknownKey = true
  private readonly known: ReadonlyArray<string>

  constructor(path: Path, known: ReadonlyArray<string>) {
    this.path = path
    this.known = known
  }

  get message(): string {
    const meant = suggest(String(this.path.at(-1)), this.known)
    return meant === undefined ? "unknown key" : `unknown key (did you mean ${meant}?)`
  }
}
