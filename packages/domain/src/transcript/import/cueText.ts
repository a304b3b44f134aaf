import type { Voice } from "./cues.ts"

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  lrm: "\u200e",
  rlm: "\u200f"
}

/** Known entities and numbered characters as what they stand for; what only looks like one stays. */
const withoutEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : whole
  })

const oneLine = (text: string): string => withoutEntities(text).replace(/\s+/g, " ").trim()

/** A tag as caption files have them: `<b>`, `</c>`, `<v.loud Ann>`, `<00:01.500>`. A `<` that opens none is text. */
const tag = /<\/?[a-zA-Z][^<>]*>|<[\d:.,]+>/g

const voiceTag = /^<v(?:\.[^\s<>]*)?(?:\s([^<>]*))?>$/

/**
 * What is said in a cue, voice by voice: `<v Name>` starts one, other tags are stripped, lines are joined. Of more than
 * `max` voices the first `max` and one more are given.
 */
export const voicesIn = (text: string, max: number): ReadonlyArray<Voice> => {
  const voices: Array<Voice> = []
  let name: string | null = null
  let said = ""
  const end = () => {
    const line = oneLine(said)
    if (line !== "") voices.push({ name, text: line })
    said = ""
  }
  let at = 0
  for (const match of text.matchAll(tag)) {
    said += text.slice(at, match.index)
    at = match.index + match[0].length
    const voice = voiceTag.exec(match[0])
    if (voice === null && match[0] !== "</v>") continue
    end()
    if (voices.length > max) return voices
    name = oneLine(voice?.[1] ?? "") || null
  }
  said += text.slice(at)
  end()
  return voices
}

/** SubRip's own: positions such as `{\an8}`, besides the tags of HTML. */
export const withoutOverrides = (text: string): string => text.replace(/\{\\[^{}]*\}/g, "")

/** Text as it may stand in a cue or, with the name of a voice, in a tag. */
export const cueTextOf = (text: string): string =>
  text.replace(/\s+/g, " ").trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
