import type { Finding } from "../finding.ts"
import { isNode, type Node, type Source } from "../syntax.ts"

/** Names that say nothing of what they name: pronouns and participles. */
const vague = new Set(["one", "its", "given", "told", "found", "itself", "called", "ofOne"])

/** Names at module level, and parameters of exported functions and of the methods of exported classes, must name a thing. */
export const findVagueNames = (source: Source): ReadonlyArray<Finding> =>
  (source.program.body as ReadonlyArray<Node>)
    .flatMap(namesIn)
    .filter(({ name }) => vague.has(startsLower(name)))
    .map(({ name, node }) => ({
      path: source.path,
      line: source.lineOf(node),
      rule: "vague-name",
      message: `"${name}" says nothing of what it names: use the field's term`
    }))

interface Name {
  readonly name: string
  readonly node: Node
}

const startsLower = (name: string): string => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`

const namesIn = (statement: Node): ReadonlyArray<Name> => {
  const isExported = statement.type.startsWith("Export")
  const declaration = isExported ? statement.declaration : statement
  if (!isNode(declaration)) return []
  if (declaration.type === "VariableDeclaration") {
    return nodesOf(declaration.declarations).flatMap(({ id, init }) => [
      ...boundBy(id),
      ...(isExported ? parametersOf(init) : [])
    ])
  }
  return [...boundBy(declaration.id), ...(isExported ? parametersOf(declaration) : [])]
}

/** The parameters of a function, of the functions that it returns as its expression, or of the public methods of a class. */
const parametersOf = (value: unknown): ReadonlyArray<Name> => {
  if (!isNode(value)) return []
  if (value.type === "ClassDeclaration" && isNode(value.body)) {
    return nodesOf(value.body.body)
      .filter(({ accessibility, type }) => type === "MethodDefinition" && accessibility !== "private")
      .flatMap((method) => parametersOf(method.value))
  }
  return Array.isArray(value.params) ? [...nodesOf(value.params).flatMap(boundBy), ...parametersOf(value.body)] : []
}

/** The names that a pattern binds. */
const boundBy = (pattern: unknown): ReadonlyArray<Name> => {
  if (!isNode(pattern)) return []
  switch (pattern.type) {
    case "Identifier":
      return [{ name: pattern.name as string, node: pattern }]
    case "ObjectPattern":
      return nodesOf(pattern.properties).flatMap(({ argument, value }) => boundBy(value ?? argument))
    case "ArrayPattern":
      return nodesOf(pattern.elements).flatMap(boundBy)
    case "AssignmentPattern":
      return boundBy(pattern.left)
    case "RestElement":
      return boundBy(pattern.argument)
    case "TSParameterProperty":
      return boundBy(pattern.parameter)
    default:
      return []
  }
}

const nodesOf = (values: unknown): ReadonlyArray<Node> => (Array.isArray(values) ? values.filter(isNode) : [])
