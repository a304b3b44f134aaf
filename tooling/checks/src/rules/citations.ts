import { type Finding, lineAt } from "../finding.ts"

/** The packages whose types are an API (docs/adr/0039-published-packages.md), by their folders in packages/. */
export const documentedPackages = [
  "signing",
  "client",
  "capture",
  "emulator",
  "contract",
  "domain",
  "dispatcher",
  "testkit"
] as const

const docComments = /\/\*\*[\s\S]*?\*\//g

/** Codes of the specification's decisions, decision records, the specification itself, and files of this repository. */
const citations =
  /\b[ACNRSW]\d{1,2}\b|\bADRs?\b|\b[Ss]pecification\b|(?<![\w/.-])(?:docs|spec)\/[\w/-]+|(?<![\w/])[\w-]+\.md\b/g

/** Doc comments, which the types of a package carry, must not cite what its readers do not have. */
export const findCitations = (path: string, text: string): ReadonlyArray<Finding> =>
  [...text.matchAll(docComments)].flatMap((comment) =>
    [...comment[0].matchAll(citations)].map((cited) => ({
      path,
      line: lineAt(text, comment.index + cited.index),
      rule: "citation",
      message: `"${cited[0]}" is not in the package: say in words what it says, or link to it`
    }))
  )
