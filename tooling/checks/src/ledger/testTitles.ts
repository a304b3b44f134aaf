import { identifierName, isNode, type Source, stringValue, walk } from "../syntax.ts"

const testFunctions = new Set(["test", "it", "describe"])

/** `test`, of `test("…")`, `test.each([…])("…")` and `it.effect("…")`. */
const rootName = (callee: unknown): string | undefined => {
  if (!isNode(callee)) return undefined
  if (callee.type === "CallExpression") return rootName(callee.callee)
  if (callee.type === "MemberExpression") return rootName(callee.object)
  return identifierName(callee)
}

/** The titles of a file's tests and groups of tests as written, with `%s` and `$name`. */
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

/** A title as written, with `%s` and `$name`, as a pattern of the titles that run. */
export const titlePattern = (title: string): RegExp => {
  const escaped = title.replaceAll(/[.*+?^$(){}|[\]\\]/g, "\\$&")
  const filled = escaped.replaceAll(/%(?:[sdifjoO#]|\\\$)|\\\$\w+(?:\\\.\w+)*/g, "[\\s\\S]*")
  return new RegExp(`^${filled.replaceAll("%%", "%")}$`)
}
