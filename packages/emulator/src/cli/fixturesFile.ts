import { readFileSync } from "node:fs"
import type { Problem } from "@tapedeck/domain/input"
import type { Document, LineCounter } from "yaml"

/** A problem in a fixtures file with its position. The path is that in the document; empty for the whole file. */
export interface FixturesProblem extends Problem {
  readonly line?: number
  readonly column?: number
}

/** A fixtures file cannot be read, parsed or loaded; the message has a line for each problem. */
export class FixturesRefused extends Error {
  override readonly name = "FixturesRefused"
  readonly problems: ReadonlyArray<FixturesProblem>
  constructor(file: string, problems: ReadonlyArray<FixturesProblem>) {
    super(problems.map((problem) => problemText(file, problem)).join("\n"))
    this.problems = problems
  }
}

const problemText = (file: string, { column, line, message, path }: FixturesProblem): string => {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return path === "" ? `${place}: ${message}` : `${path}: ${message} (${place})`
}

/** Reads a fixtures file. Throws a `FixturesRefused`. */
export const readFixturesText = (file: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    throw new FixturesRefused(file, [{ path: "", message: unreadable(error as NodeJS.ErrnoException) }])
  }
}

const unreadable = ({ code, message }: NodeJS.ErrnoException): string => {
  switch (code) {
    case "ENOENT":
      return "no such file"
    case "EISDIR":
      return "is a folder, not a file"
    case "EACCES":
    case "EPERM":
      return "this user may not read it"
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "is not UTF-8 text"
    default:
      return `cannot be read: ${message}`
  }
}

/** Parses a start document in YAML or JSON. Throws a `FixturesRefused` with line and column. */
export const parseFixtures = async (file: string, text: string): Promise<unknown> => {
  const json = file.endsWith(".json") ? parseJson(text) : undefined
  if (json !== undefined) return json.value
  const { document, lines, yaml } = await parseYaml(text)
  const refuse = (message: string, offset: number): never => {
    throw new FixturesRefused(file, [{ path: "", message, ...placeOf(lines, offset) }])
  }
  for (const { message, pos } of [...document.errors, ...document.warnings]) refuse(inOwnWords(message), pos[0])
  yaml.visit(document, {
    Alias: (_, alias, ancestors) => {
      const meant = alias.resolve(document)
      const offset = alias.range?.[0] ?? 0
      if (meant === undefined) refuse(`no anchor &${alias.source} before this alias`, offset)
      if (ancestors.includes(meant as never)) refuse(`*${alias.source} refers to itself`, offset)
    }
  })
  try {
    return document.toJS() as unknown
  } catch {
    return refuse("the aliases expand to more than a start document may contain", 0)
  }
}

/** Removes the quoted text, which may be a secret, and advice for programmers. */
const inOwnWords = (message: string): string => {
  const [problem = ""] = message.split("; please use ", 1)
  return problem.endsWith('"') ? problem.split(': "', 1)[0]! : problem
}

/** The errors of a start document, each with its position in the file. */
export const locate = async (
  text: string,
  problems: ReadonlyArray<Problem>
): Promise<ReadonlyArray<FixturesProblem>> => {
  const { document, lines } = await parseYaml(text)
  return problems.map((problem) => {
    const offset = problem.path === "" ? undefined : offsetOf(document, keysOf(problem.path))
    return offset === undefined ? problem : { ...problem, ...placeOf(lines, offset) }
  })
}

/** JSON's own parser is faster. A text that it refuses is parsed as YAML, whose errors have positions. */
const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** YAML's parser is loaded only if it is used, so that the command starts faster. */
const parseYaml = async (text: string) => {
  const yaml = await import("yaml")
  const lines = new yaml.LineCounter()
  return { document: yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines, yaml }
}

const placeOf = (lines: LineCounter, offset: number) => {
  const { col, line } = lines.linePos(offset)
  return { line, column: col }
}

/** Splits a path such as `automations[0].headers["a b"]` into keys. */
const keysOf = (path: string): ReadonlyArray<string | number> =>
  [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([\w-]+)/g)].map(([, index, quoted, name]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : name!
  )

/** The position of a path: its key, or the deepest part of it that exists. */
const offsetOf = (document: Document, keys: ReadonlyArray<string | number>): number | undefined => {
  let offset: number | undefined
  for (const [depth, key] of keys.entries()) {
    const parent = document.getIn(keys.slice(0, depth), true) as YamlNode | undefined
    const item = typeof key === "number" ? parent?.items?.[key] : parent?.items?.find((pair) => nameOf(pair) === key)
    const range = (item?.key ?? item)?.range
    if (range === undefined || range === null) return offset
    offset = range[0]
  }
  return offset
}

/** The parts of a YAML node that are used: pairs of maps, items of lists, and the position. */
interface YamlNode {
  readonly range?: readonly [number, number, number] | null
  readonly items?: ReadonlyArray<YamlNode & { readonly key?: YamlNode & { readonly value?: unknown } }>
}

const nameOf = (pair: { readonly key?: { readonly value?: unknown } }): string => String(pair.key?.value)
