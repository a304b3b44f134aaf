import { type Finding, lineAt } from "../finding.ts"

const subject = "the subject that acts: the worker, the caller, another user, no process"

/** Words that are vague, or that were names of this repository's own; and what to write instead. Each inflection is listed. */
export const privateWords: Readonly<Record<string, string>> = {
  whoever: subject,
  whomever: subject,
  somebody: subject,
  nobody: subject,
  anybody: subject,
  everybody: subject,
  "in hand": "claimed, in flight, held",
  inHand: "inFlight, claimed, held",
  "under way": "active, in flight, in progress",
  underway: "active, in flight, in progress",
  underWay: "inFlight, active",
  "at work": "active",
  atWork: "active",
  crowd: "backlog, batch",
  crowds: "backlogs, batches",
  crowded: "full, busy",
  gathering: "batch",
  surroundings: "environment",
  trouble: "errors, or the name of the failure",
  troubles: "errors, failures",
  troubled: "failing",
  greeting: "banner",
  knob: "setting",
  lookedUp: "lookup",
  deeds: "audit entries",
  verdict: "outcome, result, explanation",
  verdicts: "outcomes, results, explanations",
  lest: "so that … not",
  "comes of it": "outcome, effect",
  "came of it": "outcome, effect",
  "break off": "fail, be interrupted",
  "breaks off": "fails, is interrupted, is incomplete",
  "broke off": "failed, was interrupted, was incomplete",
  "begin anew": "start over",
  "begins anew": "starts over"
}

/** Not allowed as names of files, beside the words above. */
export const privateFileNames: ReadonlyArray<string> = [
  "ahead",
  "beginning",
  "examined",
  "front",
  "hand",
  "hands",
  "kept",
  "others",
  "pace",
  "round",
  "visit",
  "watching"
]

/** This file names the words; the ledger quotes the specification. */
const exempt = /^(?:tooling\/checks\/src\/rules\/words\.ts|docs\/fidelity\.(?:json|md))$/

const startsLower = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

/** Only the first letter may be of either case: `noBody` is another word than `nobody`. */
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
