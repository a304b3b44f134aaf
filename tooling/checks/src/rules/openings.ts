import type { Finding } from "../finding.ts"
import { identifierName, isNode, type Node, type Source, stringValue, walk } from "../syntax.ts"

const rule = "opening"

const opening = /^(?:What|Whose|Whom|Theirs|Those|One that|Of|As it does)\b/

/** A paragraph starts a doc comment, or follows one of these tags. */
const paragraphs =
  /(?:^|@(?:returns?|throws|remarks|deprecated|(?:param|property|typeParam)\s+[\w.]+(?:\s+-)?)\s)[\s*]*/g

const described = new Set(["description", "summary", "title"])

/**
 * Doc comments, and descriptions, summaries and titles, begin with a noun phrase, or with a verb: not with a pronoun, whose noun the
 * reader would have to guess.
 */
export const findOpenings = (source: Source): ReadonlyArray<Finding> => {
  const finding = (start: number, [word]: RegExpExecArray): Finding => ({
    path: source.path,
    line: source.lineOf({ start }),
    rule,
    message: `begins with "${word}": begin with the noun that it describes`
  })
  const findings: Array<Finding> = []
  for (const { text, start } of source.docComments) {
    for (const paragraph of text.matchAll(paragraphs)) {
      const end = paragraph.index + paragraph[0].length
      const found = opening.exec(text.slice(end))
      if (found) findings.push(finding(start + end, found))
    }
  }
  walk(source.program, (node) => {
    for (const text of describingTexts(node)) {
      const found = opening.exec(textOf(text) ?? "")
      if (found) findings.push(finding(text.start, found))
    }
  })
  return findings
}

/** The texts of a description, summary or title that `node` sets: as a property, as an attribute, or as an argument of `about`. */
const describingTexts = (node: Node): ReadonlyArray<Node> => {
  if (node.type === "Property" && described.has(keyName(node.key) ?? "")) return startsOf(node.value)
  if (node.type === "JSXAttribute" && isNode(node.name) && described.has(String(node.name.name))) {
    return startsOf(node.value)
  }
  if (node.type === "CallExpression" && identifierName(node.callee) === "about") {
    return (node.arguments as ReadonlyArray<Node>).flatMap(startsOf)
  }
  return []
}

const keyName = (key: unknown): string | undefined => identifierName(key) ?? stringValue(key)

/** The nodes that a text may start with: the left of a sum, each branch of a condition. */
const startsOf = (value: unknown): ReadonlyArray<Node> => {
  if (!isNode(value)) return []
  switch (value.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return startsOf(value.left)
    case "ConditionalExpression":
      return [...startsOf(value.consequent), ...startsOf(value.alternate)]
    case "JSXExpressionContainer":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return startsOf(value.expression)
    default:
      return [value]
  }
}

const textOf = (node: Node): string | undefined => {
  if (node.type !== "TemplateLiteral") return stringValue(node)
  const [first] = node.quasis as ReadonlyArray<Node>
  return (first?.value as { cooked?: string } | undefined)?.cooked
}
