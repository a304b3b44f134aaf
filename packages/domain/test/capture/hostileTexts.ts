import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { parseAst } from "rolldown/parseAst"

const folder = new URL("../../src/capture/redact/", import.meta.url)

interface Node {
  readonly type: string
  readonly value?: unknown
  readonly regex?: { readonly pattern: string; readonly flags: string }
}

const nodesIn = (value: unknown): ReadonlyArray<Node> => {
  if (typeof value !== "object" || value === null) return []
  const inside = Object.values(value).flatMap(nodesIn)
  return "type" in value ? [value as Node, ...inside] : inside
}

/** Words, separators and beginnings of what a rule looks for. */
const tokensOfText = (text: string): ReadonlyArray<string> => [text, ...text.split(/[ ,]/)]

const samples = 6
const maxLength = 40

const oneClass = /^(?:\[(?:\\.|[^\]\\])+\]|\\\w|\\p\{\w+\})$/
const characters = [...Array.from({ length: 126 }, (_, code) => String.fromCharCode(code + 1)), "é", "漢", "\u{1f9f5}"]

/** Texts that an expression matches, and beginnings of such. */
const tokensOfPattern = ({ flags, pattern }: { readonly pattern: string; readonly flags: string }) => {
  const expression = new RegExp(pattern, flags.replace(/[gy]/g, ""))
  if (oneClass.test(pattern)) return evenly(characters.filter((character) => expression.test(character)))
  const whole = new RegExp(`^(?:${pattern.replaceAll("\\b", "").replace(/^\^|\$$/g, "")})$`)
  return fc.sample(fc.stringMatching(whole), { numRuns: samples, seed: 1 }).flatMap((text) => [text, text.slice(0, -1)])
}

/** Some items, from the first to the last. */
const evenly = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.filter((_, index) => index % Math.ceil(items.length / samples) === 0)

/** The words of the sources of redaction: a new rule's words and expressions are among them by themselves. */
export const tokens: ReadonlyArray<string> = [
  ...new Set(
    readdirSync(folder)
      .flatMap((file) => nodesIn(parseAst(readFileSync(new URL(file, folder), "utf8"), { lang: "ts" })))
      .filter(({ type }) => type === "Literal")
      .flatMap(({ regex, value }) => {
        if (regex) return tokensOfPattern(regex)
        return typeof value === "string" ? tokensOfText(value) : []
      })
      .filter((token) => token !== "" && token.length <= maxLength && !token.endsWith(".ts"))
  )
]

const separators = [...'=:&"{<@ ']

/** Parts whose repetition makes a hostile text: tokens, tokens with a separator, and series of them that a seed chooses. */
export const hostileParts = (seed: number): ReadonlyArray<string> => {
  const pairs = tokens.flatMap((token) => separators.map((separator) => token + separator))
  const one = fc.constantFrom(...tokens, ...separators)
  const series = fc.array(one, { minLength: 2, maxLength: 5 }).map((parts) => parts.join(""))
  return [...new Set([...separators, ...tokens, ...pairs, ...fc.sample(series, { numRuns: 800, seed })])]
}
