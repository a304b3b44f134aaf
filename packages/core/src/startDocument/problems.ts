import { Result, Schema, type SchemaAST, type SchemaIssue, SchemaParser } from "effect"
import { type Path, withoutUndefined } from "./lenient.ts"
import { suggest } from "./suggest.ts"

/** What is wrong, and where. */
export interface Found {
  readonly path: Path
  readonly message: string
}

/** Takes down what is wrong at a path. */
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

/** A start document that was refused: everything that is wrong with it (emulator.md, Start document). */
export class StartDocumentInvalid extends Schema.TaggedError<StartDocumentInvalid>()("StartDocumentInvalid", {
  problems: Schema.Array(Problem)
}) {
  override get message(): string {
    return this.problems.map(problemLine).join("\n")
  }
}

/** `path: message`, as one line. */
export const problemLine = ({ message, path }: Problem): string => (path === "" ? message : `${path}: ${message}`)

/**
 * Everything that a schema finds wrong with `input`: unknown keys at every level (unless they are passed over), what is
 * missing, what cannot be. Keys whose value is `undefined` count as left out, as they do in JSON.
 */
export const decodeAll =
  <S extends Schema.ConstraintDecoder<unknown>>(schema: S, unknownKeys: "refused" | "ignored" = "refused") =>
  (input: unknown): Result.Result<S["Type"], ReadonlyArray<Found>> => {
    const onExcessProperty = unknownKeys === "refused" ? "error" : "ignore"
    const decode = SchemaParser.decodeUnknownResult(schema, { errors: "all", onExcessProperty })
    const first = decode(input)
    // Copying a document costs as much as checking it, and hardly one needs it.
    const result = Result.isFailure(first) ? decode(withoutUndefined(input)) : first
    return Result.mapError(result, (issue) => findings(issue, []))
  }

/** What an issue says is wrong, for input that somebody else decoded. */
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
      return isNoneOfThem ? [{ path, message: said(issue.ast.annotations) }] : members
    }
    case "Filter":
      return issue.issue._tag === "InvalidValue"
        ? [{ path, message: said(issue.filter.annotations, issue.issue.annotations) }]
        : findings(issue.issue, path)
    case "MissingKey":
      return [{ path, message: "is required" }]
    case "UnexpectedKey":
      return [{ path, message: unknownKey(String(path.at(-1)), issue.ast) }]
    case "InvalidType":
    case "OneOf":
      return [{ path, message: said(issue.ast.annotations) }]
    case "InvalidValue":
    case "Forbidden":
      return [{ path, message: said(issue.annotations) }]
  }
}

const said = (...annotations: ReadonlyArray<{ readonly message?: unknown } | undefined>): string => {
  const message = annotations.map((one) => one?.message).find((one) => typeof one === "string")
  return message ?? "is not valid"
}

const unknownKey = (key: string, ast: SchemaAST.AST): string => {
  const known = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const meant = suggest(key, known)
  return meant === undefined ? "unknown key" : `unknown key (did you mean ${meant}?)`
}
