import { decodeHTML, decodeHTMLStrict } from "entities/decode"
import type { Voice } from "./cues.ts"

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** A voice's tag without its brackets: `v.loud Ann`. */
const voiceTag = /^v(?:\.\S*)?(?:\s([\s\S]*))?$/

/**
 * Returns the spoken text of a WebVTT cue by voice, by the W3C's tokenizer of cue texts: `<v Name>` starts a voice, all other tags are
 * stripped, character references are those of HTML, and lines are joined. Unlike in browsers, a `<` without a `>` is text. Returns at
 * most `max` + 1 voices.
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
  for (let open = text.indexOf("<"); open !== -1; open = text.indexOf("<", at)) {
    const close = text.indexOf(">", open)
    if (close === -1) break
    said += decodeHTML(text.slice(at, open))
    at = close + 1
    const tag = text.slice(open + 1, close)
    const voice = voiceTag.exec(tag)
    if (voice === null && tag !== "/v") continue
    end()
    if (voices.length > max) return voices
    name = oneLine(decodeHTML(voice?.[1] ?? "")) || null
  }
  said += decodeHTML(text.slice(at))
  end()
  return voices
}

/** Markup of SubRip: five tags of HTML, and the overrides of ASS, such as `{\an8}`. Everything else is text. */
const subRipMarkup = /<\/?[bius]\s*>|<\/?font(?:\s[^<>]*)?>|\{\\[^{}]*\}/gi

/** Returns the spoken text of a SubRip cue, on one line. A character reference ends with a semicolon: `?a=1&copy=2` is text. */
export const subRipText = (text: string): string => oneLine(decodeHTMLStrict(text.replace(subRipMarkup, "")))

/** Escapes text for a cue, or for the name of a voice in a tag. */
export const cueTextOf = (text: string): string =>
  text.replace(/\s+/g, " ").trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
