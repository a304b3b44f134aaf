/** Maximum length of a word, and of one in a search without spaces. The rest is cut off. */
const maxWordLength = 64
const maxUnspacedCharacters = 11

const marks = /\p{M}+/gu
const runs = /[\p{L}\p{N}]+/gu

/** Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Chinese and Japanese. */
const unspaced =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u
const unspacedParts =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]+|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]+/gu

/** Returns a text without case and accents. */
export const plain = (text: string): string => text.normalize("NFKD").toLowerCase().replace(marks, "")

/** Returns the parts of a run of letters: a word ends where a script without spaces begins or ends. */
export const partsOfRun = (run: string): ReadonlyArray<string> =>
  unspaced.test(run) ? (run.match(unspacedParts) ?? []) : [run]

/** Returns the words of a plain text: runs of letters and digits, and their parts. */
export const wordsInPlain = (text: string): ReadonlyArray<string> => (text.match(runs) ?? []).flatMap(partsOfRun)

/** Returns the words of a text, without case and accents. */
export const wordsIn = (text: string): ReadonlyArray<string> => wordsInPlain(plain(text))

/** Returns a word of limited length. */
export const cutWord = (word: string): string => cutText(word, maxWordLength)

/** Returns the start of a text, in whole characters. */
export const cutText = (text: string, length: number): string => {
  const short = text.slice(0, length)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** Returns whether a word is of a script without spaces. */
export const isUnspaced = (word: string): boolean => unspaced.test(word)

/** Returns each two neighbouring characters. */
const neighbours = (characters: ReadonlyArray<string>): ReadonlyArray<string> =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)

/**
 * Returns the tokens by which a word is found from its start. One of a script without spaces is found from each of its characters: its tokens
 * are each two neighbouring characters, and the last.
 */
const tokensOfWord = (word: string): ReadonlyArray<string> => {
  if (!isUnspaced(word)) return [cutWord(word)]
  const characters = [...word]
  return [...neighbours(characters), characters.at(-1)!]
}

/** Returns the starts of tokens that a recording with this word has. */
export const startsOfWord = (word: string): ReadonlyArray<string> => {
  const pairs = isUnspaced(word) ? neighbours([...word].slice(0, maxUnspacedCharacters)) : []
  return pairs.length > 0 ? [...new Set(pairs)] : [cutWord(word)]
}

/**
 * Returns the token of two words that follow each other; undefined in scripts without spaces, which have tokens of neighbouring characters. It
 * is a hash of 32 bits as two characters for private use, of which no word has any.
 */
export const pairToken = (first: string, second: string): string | undefined => {
  if (isUnspaced(first) || isUnspaced(second)) return undefined
  let hash = 0x811c9dc5
  const pair = `${cutWord(first)} ${cutWord(second)}`
  for (let index = 0; index < pair.length; index += 1) hash = Math.imul(hash ^ pair.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash ^= hash >>> 13
  return String.fromCodePoint(0xf0000 + (hash >>> 16), 0xf0000 + (hash & 0xffff))
}

/** Collects different tokens of texts, in order, up to a number and a total length. */
export class TokenSet {
  readonly tokens = new Set<string>()
  private previous: string | undefined
  private length = 0
  private readonly maxTokens: number
  private readonly maxLength: number

  constructor(maxTokens: number, maxLength: number) {
    this.maxTokens = maxTokens
    this.maxLength = maxLength
  }

  get isFull(): boolean {
    return this.tokens.size >= this.maxTokens || this.length >= this.maxLength
  }

  /** Takes the tokens of a text: its words, and pairs of words that follow each other, also after the text before. */
  take(text: string) {
    for (const word of wordsIn(text)) {
      if (this.isFull) return
      const pair = this.previous === undefined ? undefined : pairToken(this.previous, word)
      this.previous = word
      for (const token of tokensOfWord(word)) this.add(token)
      if (pair !== undefined) this.add(pair)
    }
  }

  /** The next text does not continue the one before. */
  end() {
    this.previous = undefined
  }

  private add(token: string) {
    if (this.isFull || this.tokens.has(token)) return
    this.tokens.add(token)
    this.length += token.length + 1
  }
}
