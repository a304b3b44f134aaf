import { charactersOf, digitAt, isIn } from "./characters.ts"
import { REDACTED, type RedactionRule } from "./rules.ts"

const letter = charactersOf(/[A-Za-z]/)
const minDigits = 13
const maxDigits = 19

/** Digits, alone or in groups with a space or hyphen between them. */
interface Run {
  /** The position after each digit. */
  readonly ends: ReadonlyArray<number>
  /** Luhn's sums of the digits before each, with those at odd indices counted twice, and with those at even ones. */
  readonly sums: readonly [ReadonlyArray<number>, ReadonlyArray<number>]
  readonly isStuckBefore: boolean
  readonly isStuckAfter: boolean
}

/** Redacts card numbers: 13 to 19 digits, alone or in groups, with the prefix of a card issuer and Luhn's check digit. */
export const redactCards = (text: string, count: (rule: RedactionRule) => void): string => {
  let result = ""
  let done = 0
  for (let at = 0; at < text.length; at++) {
    if (digitAt(text, at) === -1) continue
    const start = at
    at = runEnd(text, start)
    if (at - start < minDigits) continue
    const run = runIn(text, start, at)
    for (let first = 0; first + minDigits <= run.ends.length; first++) {
      const digits = cardLength(text, run, first)
      if (digits === 0) continue
      result += text.slice(done, run.ends[first]! - 1) + REDACTED
      first += digits - 1
      done = run.ends[first]!
      count("card")
    }
  }
  return done === 0 ? text : result + text.slice(done)
}

const runEnd = (text: string, start: number): number => {
  let end = start
  while (digitAt(text, end) !== -1) end += isSeparator(text, end + 1) && digitAt(text, end + 2) !== -1 ? 2 : 1
  return end
}

const runIn = (text: string, start: number, end: number): Run => {
  const ends: Array<number> = []
  const sums: [Array<number>, Array<number>] = [[0], [0]]
  for (let at = start; at < end; at++) {
    const digit = digitAt(text, at)
    if (digit === -1) continue
    const twice = digit > 4 ? digit * 2 - 9 : digit * 2
    const isOdd = ends.length % 2 === 1
    sums[0].push(sums[0].at(-1)! + (isOdd ? twice : digit))
    sums[1].push(sums[1].at(-1)! + (isOdd ? digit : twice))
    ends.push(at + 1)
  }
  return { ends, sums, isStuckBefore: isIn(letter, text, start - 1), isStuckAfter: isIn(letter, text, end) }
}

const isSeparator = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code === 0x20 || code === 0x2d
}

/** Returns the number of digits of the longest card number that starts with this group of the run; 0 for none. */
const cardLength = (text: string, { ends, isStuckAfter, isStuckBefore, sums }: Run, first: number): number => {
  const isGroupStart = first === 0 ? !isStuckBefore : ends[first]! - ends[first - 1]! > 1
  if (!isGroupStart) return 0
  const beginning = digitAt(text, ends[first]! - 1) * 10 + digitAt(text, ends[first + 1]! - 1)
  for (let digits = Math.min(maxDigits, ends.length - first); digits >= minDigits; digits--) {
    const last = first + digits - 1
    if (!isCardForm(beginning, digits)) continue
    const isGroupEnd = last === ends.length - 1 ? !isStuckAfter : ends[last + 1]! - ends[last]! > 1
    const sum = sums[last % 2]!
    if (isGroupEnd && (sum[last + 1]! - sum[first]!) % 10 === 0) return digits
  }
  return 0
}

/** Returns whether prefix and length are those of Visa, Mastercard, American Express, Discover, JCB, Diners, Maestro or UnionPay. */
const isCardForm = (beginning: number, digits: number): boolean => {
  switch (Math.floor(beginning / 10)) {
    case 2:
      return digits === 16 && beginning >= 22 && beginning <= 27
    case 3:
      if (beginning === 35) return digits === 16
      if (beginning === 34 || beginning === 37) return digits === 15
      return digits === 14 && (beginning === 30 || beginning === 36 || beginning >= 38)
    case 4:
      return digits === 13 || digits === 16 || digits === 19
    case 5:
      return digits === 16
    case 6:
      return digits >= 16
    default:
      return false
  }
}
