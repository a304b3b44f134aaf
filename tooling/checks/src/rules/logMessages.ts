import type { Finding } from "../finding.ts"
import { identifierName, isNode, memberName, type Node, type Source, stringValue, walk } from "../syntax.ts"

const message = "logs a message that varies: its text is a constant, and what varies are fields beside it"

/** The calls of Effect's log functions whose message is no constant text. */
export const findVaryingLogMessages = (source: Source): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  walk(source.program, (node) => {
    if (node.type !== "CallExpression" || !isLog(node.callee)) return
    const [first] = node.arguments as ReadonlyArray<Node>
    if (first !== undefined && stringValue(first) !== undefined) return
    findings.push({ path: source.path, line: source.lineOf(node), rule: "log-message", message })
  })
  return findings
}

const isLog = (callee: unknown): boolean =>
  isNode(callee) &&
  callee.type === "MemberExpression" &&
  identifierName(callee.object) === "Effect" &&
  /^log(?:Trace|Debug|Info|Warning|Error|Fatal)?$/.test(memberName(callee) ?? "")
