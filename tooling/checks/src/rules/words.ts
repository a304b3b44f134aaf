import { type Finding, lineAt } from "../finding.ts"
import list from "./words.json" with { type: "json" }

/** Words that are vague, or that were names of this repository's own; and what to write instead. Each inflection is listed. */
export const privateWords: Readonly<Record<string, string>> = list.words

/** Not allowed as names of files, beside the words above. */
export const privateFileNames: ReadonlyArray<string> = list.fileNames

/** The list itself; and the ledger, which quotes the specification. */
const exempt = /^(?:tooling\/checks\/src\/rules\/words\.json|docs\/fidelity\.md)$/

const startsLower = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

/** Only the first letter may be of either case: `noBody` is no match. */
const eitherCase = (word: string): string => `[${word.slice(0, 1)}${word.slice(0, 1).toUpperCase()}]${word.slice(1)}`

const pattern = new RegExp(`\\b(?:${Object.keys(privateWords).map(eitherCase).join("|")})\\b`, "g")

/** The words that are not plain technical English in a file and in its name. */
export const findPrivateWords = (path: string, text: string): ReadonlyArray<Finding> => {
  if (exempt.test(path)) return []
  const finding = (line: number, message: string): Finding => ({ path, line, rule: "plain-words", message })
  const name = startsLower(/[^/.]*(?=[^/]*$)/.exec(path)?.[0] ?? "")
  const isRefused = privateFileNames.includes(name) || Object.hasOwn(privateWords, name)
  return [
    ...(isRefused ? [finding(1, `"${name}" says too little as a file's name: use the field's term`)] : []),
    ...[...text.matchAll(pattern)].map(({ 0: word, index }) =>
      finding(lineAt(text, index), `"${word}": write ${privateWords[startsLower(word)]}`)
    )
  ]
}
