import type { Finding } from "../finding.ts"
import type { Doubt } from "../patternProofs.ts"
import { identifierName, isNode, memberName, type Node, type Source, walk } from "../syntax.ts"

/**
 * Regular expressions that may take more than linear time: on hostile input of 100 kB a quadratic one takes seconds, and an
 * exponential one never ends. `doubtAbout` proves each one; what it cannot prove, and what is put together at run time, is a
 * finding. A line whose input cannot be long may say `// allow-pattern: why`.
 */
export const findUnprovenPatterns = (
  source: Source,
  doubtAbout: (pattern: string, flags: string) => Doubt
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const report = (node: Node, message: string) =>
    findings.push({ path: source.path, line: source.lineOf(node), rule: "linear-pattern", message })
  walk(source.program, (node) => {
    const regex = node.type === "Literal" ? (node.regex as { pattern: string; flags: string } | undefined) : undefined
    if (regex !== undefined) {
      const doubt = doubtAbout(regex.pattern, regex.flags)
      if (doubt !== null) report(node, `/${regex.pattern}/${regex.flags} takes ${doubt}`)
    } else if (isConstruction(node)) {
      report(node, "a pattern that is put together at run time cannot be proven to take linear time: write it out")
    }
  })
  return findings
}

/** `RegExp(…)` and `new RegExp(…)`, and of `globalThis` too. */
const isConstruction = (node: Node): boolean => {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return false
  const callee = node.callee
  const name = isNode(callee) && callee.type === "MemberExpression" ? memberName(callee) : identifierName(callee)
  return name === "RegExp"
}
