import { matchesGlob } from "node:path"
import { type Fence, parseFences } from "@tapedeck/tsconfig/fences.ts"
import type { Finding } from "../finding.ts"
import { identifierName, type Node, parseSource, stringValue, walk } from "../syntax.ts"

const rule = "fence"

/** A call of `readFences` or `readFence`, by which a file declares that it proves code blocks. */
export interface Proof {
  readonly path: string
  readonly line: number
  readonly pages: string
  readonly language: string
  readonly text: string
}

/** Documents whose code blocks need a proof: the pages of the site, and the READMEs that are not generated. */
const documents = "{*.md,docs/**/*.md,{apps,packages,tooling}/*/README.md,{clients,examples}/**/README.md}"

export const isDocument = (path: string): boolean => matchesGlob(path, documents)

/** Whether a source may declare proofs: the reader itself and these checks, which run nothing, may not. */
export const mayProve = (path: string, text: string): boolean =>
  /\.[cm]?ts$/.test(path) && !/^tooling\/(?:checks|tsconfig)\//.test(path) && /\breadFences?\(/.test(text)

/** The declarations of a source, and a finding for each that cannot be read without running it. */
export const proofsIn = (path: string, text: string) => {
  const proofs: Array<Proof> = []
  const findings: Array<Finding> = []
  const { lineOf, program } = parseSource(path, text)
  walk(program, (node) => {
    if (node.type !== "CallExpression" || !/^readFences?$/.test(identifierName(node.callee) ?? "")) return
    const [pages, language, contained = ""] = (node.arguments as ReadonlyArray<Node>).map(stringValue)
    const line = lineOf(node)
    if (pages === undefined || language === undefined)
      findings.push({ path, line, rule, message: "pages, language and text of a code block must be literals" })
    else proofs.push({ path, line, pages, language, text: contained })
  })
  return { proofs, findings }
}

/** How a code block is proved: files that run it, or why none has to. */
export interface ProvedFence extends Fence {
  readonly provedBy: ReadonlyArray<string>
}

const proves = (proof: Proof, fence: Fence): boolean =>
  matchesGlob(fence.page, proof.pages) && fence.language === proof.language && fence.code.includes(proof.text)

const provedBy = (fence: Fence, proofs: ReadonlyArray<Proof>): ReadonlyArray<string> => {
  if (fence.language === "text") return ["output"]
  if (fence.unrun !== undefined) return [`not run: ${fence.unrun}`]
  return [...new Set(proofs.filter((proof) => proves(proof, fence)).map(({ path }) => path))]
}

/** Each code block of a document, with its proof. */
export const proveFences = (page: string, text: string, proofs: ReadonlyArray<Proof>): ReadonlyArray<ProvedFence> =>
  parseFences(page, text).map((fence) => ({ ...fence, provedBy: provedBy(fence, proofs) }))

/** A finding for each code block without a proof, and for each reason that says nothing. */
export const checkFences = (fences: ReadonlyArray<ProvedFence>): ReadonlyArray<Finding> =>
  fences.flatMap(({ language, line, page, provedBy, unrun }) => {
    if (unrun?.trim() === "") return [{ path: page, line, rule, message: "unrun needs a reason" }]
    if (provedBy.length > 0) return []
    const message =
      `no test reads this ${language || "unnamed"} block: read it with readFence in a test that runs it, ` +
      'name it text if it is output, or add unrun="reason"'
    return [{ path: page, line, rule, message }]
  })

/** A finding for each line of a document that looks like a mark of a code block, and is neither the first nor the last of one that is read. */
export const findStrayMarks = (page: string, text: string): ReadonlyArray<Finding> => {
  const marks = new Set(parseFences(page, text).flatMap(({ end, line }) => [line, end]))
  return text.split("\n").flatMap((content, index) => {
    const line = index + 1
    if (!/^[\s>*+\d.)-]*(?:~~~|```)/.test(content) || marks.has(line)) return []
    const message =
      "mark of a code block that no check reads: use ``` after spaces alone, and nothing after the last mark"
    return [{ path: page, line, rule, message }]
  })
}

/** One line: number of code blocks by their proof. */
export const countFences = (fences: ReadonlyArray<ProvedFence>): string => {
  const output = fences.filter(({ language }) => language === "text").length
  const unrun = fences.filter((fence) => fence.unrun !== undefined && fence.language !== "text").length
  const pages = new Set(fences.map(({ page }) => page)).size
  const run = fences.length - output - unrun
  return `${fences.length} code blocks of ${pages} documents: ${run} are run or compiled, ${output} are output, ${unrun} are not run`
}
