import { identifierName, isNode, type Source, stringValue, walk } from "../syntax.ts"

const testFunctions = new Set(["test", "it", "describe"])

/** `test`, of `test("…")`, `test.each([…])("…")` and `it.effect("…")`. */
const rootName = (callee: unknown): string | undefined => {
  if (!isNode(callee)) return undefined
  if (callee.type === "CallExpression") return rootName(callee.callee)
  if (callee.type === "MemberExpression") return rootName(callee.object)
  return identifierName(callee)
}

/** The titles of a file's tests and groups of tests, as they are written: with their `%s` and `$name`. */
export const testTitles = ({ program }: Source): ReadonlySet<string> => {
  const titles = new Set<string>()
  walk(program, (node) => {
    if (node.type !== "CallExpression" || !testFunctions.has(rootName(node.callee) ?? "")) return
    const [title] = node.arguments as ReadonlyArray<unknown>
    const text = stringValue(title)
    if (text !== undefined) titles.add(text)
  })
  return titles
}
