import { parseSync, visitorKeys } from "oxc-parser"
import { lineAt } from "./finding.ts"

/** A node of the syntax tree (TS-ESTree), as loosely typed as the rules need it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Comment {
  readonly text: string
  readonly line: number
  /** Whether code stands before it on its line. */
  readonly trailing: boolean
}

interface DocComment {
  /** Its text between the delimiters, asterisks at the start of lines included. */
  readonly text: string
  /** Offset of the text in the file. */
  readonly start: number
}

/** A parsed source file. */
export interface Source {
  /** From the repository's root. */
  readonly path: string
  readonly program: Node
  /** Line comments (`// …`), trimmed. */
  readonly comments: ReadonlyArray<Comment>
  readonly docComments: ReadonlyArray<DocComment>
  readonly lineOf: (node: Pick<Node, "start">) => number
}

/** Parses TypeScript. Throws on a syntax error, naming file and line. */
export const parseSource = (path: string, text: string): Source => {
  const { program, comments, errors } = parseSync(path, text, { preserveParens: false })
  const [error] = errors
  if (error) throw new Error(`${path}:${lineAt(text, error.labels[0]?.start ?? 0)} syntax ${error.message}`)
  return {
    path,
    program: program as unknown as Node,
    comments: comments
      .filter((comment) => comment.type === "Line")
      .map((comment) => ({
        text: comment.value.trim(),
        line: lineAt(text, comment.start),
        trailing: text.slice(text.lastIndexOf("\n", comment.start) + 1, comment.start).trim() !== ""
      })),
    docComments: comments
      .filter((comment) => comment.type === "Block" && comment.value.startsWith("*"))
      .map((comment) => ({ text: comment.value.slice(1), start: comment.start + "/**".length })),
    lineOf: (node) => lineAt(text, node.start)
  }
}

/** Calls `visit` for `node` and everything below it, with its ancestors (nearest last), depth first, in source order. */
export const walk = (
  node: Node,
  visit: (node: Node, ancestors: ReadonlyArray<Node>) => void,
  ancestors: ReadonlyArray<Node> = []
): void => {
  visit(node, ancestors)
  const below = [...ancestors, node]
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key]
    for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) walk(item, visit, below)
  }
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string"

/** The name of an identifier, or undefined for anything else. */
export const identifierName = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Identifier" ? (value.name as string) : undefined

/** The value of a string literal, or of a template without substitutions. */
export const stringValue = (value: unknown): string | undefined => {
  if (!isNode(value)) return undefined
  if (value.type === "Literal") return typeof value.value === "string" ? value.value : undefined
  if (value.type !== "TemplateLiteral") return undefined
  const quasis = value.quasis as ReadonlyArray<Node>
  const [only] = quasis.length === 1 ? quasis : []
  return only && (only.value as { cooked?: string }).cooked
}

/** `a.b` and `a["b"]` name the property b; `a[b]` names none that is known. */
export const memberName = (node: Node): string | undefined =>
  node.computed === true ? stringValue(node.property) : identifierName(node.property)

const typeWrappers = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression"
])

/** Whether a node with these ancestors stands in a type, which is erased before anything runs. */
export const isInType = (node: Node, ancestors: ReadonlyArray<Node>): boolean =>
  ancestors.some(
    (ancestor, index) =>
      ancestor.type.startsWith("TS") &&
      !(typeWrappers.has(ancestor.type) && ancestor.expression === (ancestors[index + 1] ?? node))
  )
