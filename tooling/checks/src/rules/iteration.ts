import type { Finding } from "../finding.ts"
import { identifierName, isNode, memberName, type Node, type Source, walk } from "../syntax.ts"

/**
 * HashMap and HashSet order objects by a hash that is random in each run, so whatever iterates them into an answer gives
 * other bytes the next time. There are no types here: found are the iterating functions, and for-of, spread, `yield*` and
 * `Array.from` over what a file itself declares to be a HashMap or HashSet. A line that sorts or only counts may say
 * `// allow-order: why`.
 */
export const findHashIteration = (source: Source): ReadonlyArray<Finding> => {
  const hashed = declaredHashed(source.program)
  const findings: Array<Finding> = []
  const report = (node: Node, what: string) =>
    findings.push({
      path: source.path,
      line: source.lineOf(node),
      rule: "hash-order",
      message: `${what}: the order is random in each run; keep an order (SortedMap, arrays, sorted-btree) or sort`
    })
  const isHashed = (value: unknown) => hashed.has(identifierName(value) ?? "") || isHashedCall(value)

  walk(source.program, (node) => {
    if (node.type === "MemberExpression" && iteratingFunctions.has(qualified(node))) report(node, qualified(node))
    if (node.type === "ForOfStatement" && isHashed(node.right)) report(node, "for-of over a hash collection")
    if (node.type === "SpreadElement" && isHashed(node.argument)) report(node, "spread of a hash collection")
    if (node.type === "YieldExpression" && node.delegate === true && isHashed(node.argument)) {
      report(node, "yield* of a hash collection")
    }
    if (node.type === "CallExpression" && iteratesArgument(node.callee)) {
      const [first] = node.arguments as ReadonlyArray<Node>
      if (isHashed(first)) report(node, "iteration of a hash collection")
    }
  })
  return findings
}

const iteratingFunctions = new Set([
  ...["keys", "values", "toValues", "entries", "toEntries", "forEach", "reduce", "findFirst"].map(
    (name) => `HashMap.${name}`
  ),
  "HashSet.reduce"
])

const qualified = (member: Node): string => `${identifierName(member.object)}.${memberName(member)}`

const iteratesArgument = (callee: unknown): boolean =>
  isNode(callee) &&
  callee.type === "MemberExpression" &&
  ["Array.from", "Array.fromIterable", "Arr.fromIterable", "Object.fromEntries", "Effect.forEach"].includes(
    qualified(callee)
  )

/** `HashMap.make(…)`, `HashSet.add(…)` and the like: calls that give a collection. */
const isHashedCall = (value: unknown): boolean =>
  isNode(value) &&
  value.type === "CallExpression" &&
  isNode(value.callee) &&
  value.callee.type === "MemberExpression" &&
  collections.has(identifierName(value.callee.object) ?? "") &&
  !givesNoCollection.has(memberName(value.callee) ?? "")

const collections = new Set(["HashMap", "HashSet"])
const givesNoCollection = new Set([
  "get",
  "getHash",
  "getUnsafe",
  "has",
  "hasHash",
  "hasBy",
  "size",
  "isEmpty",
  "some",
  "every"
])

/** The names that a file binds to a hash collection, by an annotation or by what they start as. */
const declaredHashed = (program: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  walk(program, (node) => {
    const name = node.type === "VariableDeclarator" ? identifierName(node.id) : identifierName(node)
    if (name === undefined) return
    if (node.type === "VariableDeclarator" ? isHashedCall(node.init) : isHashedAnnotation(node.typeAnnotation)) {
      names.add(name)
    }
  })
  return names
}

/** `: HashMap.HashMap<K, V>` and `: HashSet.HashSet<A>`. */
const isHashedAnnotation = (annotation: unknown): boolean => {
  const type = isNode(annotation) ? annotation.typeAnnotation : undefined
  const typeName = isNode(type) && type.type === "TSTypeReference" ? type.typeName : undefined
  return isNode(typeName) && typeName.type === "TSQualifiedName" && collections.has(identifierName(typeName.left) ?? "")
}
