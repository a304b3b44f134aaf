import { Result } from "effect"

/**
 * Splits a command line into words as a shell does: at blanks, with `'…'`, `"…"` and `\` as quotes. Variables, pipes and
 * patterns have no meaning. The failure is a message.
 */
export const commandWords = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (quote !== undefined && char === quote) quote = undefined
    else if (char === "\\" && quote !== "'") {
      const next = text[++at]
      if (next === undefined) return Result.fail("nothing follows the last \\")
      word = (word ?? "") + next
    } else if (quote === undefined && /["']/.test(char)) {
      quote = char
      word ??= ""
    } else if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + char
  }
  if (quote !== undefined) return Result.fail(`a ${quote} is not closed`)
  if (word !== undefined) words.push(word)
  return words.length === 0 ? Result.fail("the command is empty") : Result.succeed(words)
}
