import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { UNSTORABLE_TEXT, unstorableTextPaths } from "../storableText.ts"
import { suggest } from "../suggest.ts"
import { holdsUndefined, type Path, withoutUndefined } from "./lenient.ts"

/** An error of the input and its path. */
export interface PathProblem {
  readonly path: Path
  readonly message: string
  /** True if the path names a key that the schema does not have. */
  readonly isUnknownKey?: true
}

/** Records an error at a path. */
export type Report = (path: Path, message: string) => void

/** Returns a `Report` that puts `prefix` before each path. */
export const within =
  (report: Report, ...prefix: Path): Report =>
  (path, message) =>
    report([...prefix, ...path], message)

/** Returns a path as text: `recordings[0].user`, `automations[1].headers.X-Foo`. Other keys are quoted: `headers["a b"]`. */
export const pathText = (path: Path): string => {
  let written = ""
  for (const key of path) {
    if (typeof key === "number") written += `[${key}]`
    else if (!/^[\w-]+$/.test(key)) written += `[${JSON.stringify(key)}]`
    else written += written === "" ? key : `.${key}`
  }
  return written
}

/** A problem of an input, as the control plane returns it. The path is empty for the whole input. */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type

/** Returns a problem as one line: `path: message`. */
export const problemLine = ({ message, path }: Problem): string => (path === "" ? message : `${path}: ${message}`)

/** Maximum number of values of an input whose problems are all reported. For a larger input, only the first one is, because a problem takes 100 times the memory of its text. */
export const MAX_VALUES_WITH_ALL_PROBLEMS = 10_000

/** Returns whether only the first problem of this input is reported. */
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
 * Decodes `input`, or returns all its problems (only the first one if `reportsFirstProblem`): unknown keys at every level, missing keys,
 * and invalid values. Keys whose value is `undefined` are missing, as in JSON.
 */
export const decodeAll =
  <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  (input: unknown): Result.Result<S["Type"], ReadonlyArray<PathProblem>> => {
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

/** Returns problems for each text of a JSON value that no store accepts. */
export const unstorableText = (input: unknown): ReadonlyArray<PathProblem> =>
  unstorableTextPaths(input).map((path) => ({ path, message: UNSTORABLE_TEXT }))

/** Returns the problems of a schema issue, for input that was decoded elsewhere. */
export const problemsIn = (issue: SchemaIssue.Issue): ReadonlyArray<Problem> =>
  findings(issue, []).map(({ message, path }) => ({ path: pathText(path), message }))

const findings = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<PathProblem> => {
  switch (issue._tag) {
    case "Pointer":
      return findings(issue.issue, [...path, ...(issue.path as Path)])
    case "Encoding":
      return findings(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((one) => findings(one, path))
    case "AnyOf": {
      const members = issue.issues.flatMap((one) => findings(one, path))
      // If the value is of no member's kind, the message of the union says it; a single member that nearly matched says more.
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

/** Returns the keys that no member of a union has, if the input is an object that matches none of them. */
const unknownInAll = ({ ast, input, issues }: SchemaIssue.AnyOf, path: Path): ReadonlyArray<PathProblem> => {
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

/** A problem of an unknown key. The nearest known key is searched when the message is read, because few of possibly 100,000 unknown keys are reported. */
class UnknownKey implements PathProblem {
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
