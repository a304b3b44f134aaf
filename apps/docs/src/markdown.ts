/** A heading of a document. `anchor` is the fragment by which links name it. */
export interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

/** A link or an image. `start` and `end` are the offsets of its target in the document. */
export interface Link {
  readonly target: string
  readonly start: number
  readonly end: number
}

/** The parts of a Markdown document that the site needs. */
export interface MarkdownDocument {
  /** Text of the first heading, without markup. */
  readonly title: string | undefined
  /** Sentences of the paragraph after the title, without markup; undefined if another block, such as code, precedes it. */
  readonly opening: ReadonlyArray<string> | undefined
  readonly headings: ReadonlyArray<Heading>
  /** Fragments that a link to this document may have: of headings, and of elements with an `id`. */
  readonly anchors: ReadonlySet<string>
  readonly links: ReadonlyArray<Link>
}

export const readMarkdown = (text: string): MarkdownDocument => {
  const unfenced = withoutFences(text)
  const headings = headingsOf(unfenced)
  return {
    title: headings[0]?.depth === 1 ? headings[0].text : undefined,
    opening: openingOf(text),
    headings,
    anchors: new Set([...headings.map(({ anchor }) => anchor), ...idsOf(unfenced)]),
    links: linksOf(withoutInlineCode(unfenced))
  }
}

/** Returns the document without its first heading: the site shows the title itself. */
export const withoutTitle = (text: string): string => {
  const end = text.indexOf("\n")
  return text.startsWith("# ") ? (end === -1 ? "" : text.slice(end + 1)) : text
}

const blank = (text: string): string => " ".repeat(text.length)

/** The document with spaces for its code blocks, so that offsets stay. */
const withoutFences = (text: string): string => {
  let fence: string | undefined
  return text
    .split("\n")
    .map((line) => {
      const mark = fenceOf(line)
      if (fence === undefined) {
        fence = mark
        return mark === undefined ? line : blank(line)
      }
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return blank(line)
    })
    .join("\n")
}

/** The characters that open or close a code block on this line. */
const fenceOf = (line: string): string | undefined => {
  const start = line.trimStart()
  const [char] = start
  if (char !== "`" && char !== "~") return undefined
  const length = start.length - trimmedBy(start, char).length
  return length >= 3 ? char.repeat(length) : undefined
}

/** The text without the characters `char` at its start. */
const trimmedBy = (text: string, char: string): string => {
  let start = 0
  while (text[start] === char) start++
  return text.slice(start)
}

/** The document with spaces for its inline code. Code ends with as many backticks as it begins with, in the same paragraph. */
const withoutInlineCode = (text: string): string =>
  text
    .split("\n\n")
    .map((paragraph) => {
      let result = ""
      let at = 0
      while (at < paragraph.length) {
        const start = paragraph.indexOf("`", at)
        if (start === -1) break
        const marks = "`".repeat(paragraph.length - start - trimmedBy(paragraph.slice(start), "`").length)
        const end = endOfCode(paragraph, start + marks.length, marks.length)
        const next = end ?? start + marks.length
        result += paragraph.slice(at, start) + blank(paragraph.slice(start, next))
        at = next
      }
      return result + paragraph.slice(at)
    })
    .join("\n\n")

/** The offset after the next run of exactly `length` backticks. */
const endOfCode = (text: string, from: number, length: number): number | undefined => {
  let at = text.indexOf("`", from)
  while (at !== -1) {
    const end = text.length - trimmedBy(text.slice(at), "`").length
    if (end - at === length) return end
    at = text.indexOf("`", end)
  }
  return undefined
}

const headingsOf = (unfenced: string): ReadonlyArray<Heading> => {
  const uses = new Map<string, number>()
  return unfenced.split("\n").flatMap((line) => {
    const rest = trimmedBy(line, "#")
    const depth = line.length - rest.length
    if (depth === 0 || depth > 6 || !rest.startsWith(" ")) return []
    const text = plainText(rest.trim())
    const slug = slugOf(text)
    const used = uses.get(slug) ?? 0
    uses.set(slug, used + 1)
    return [{ depth, text, anchor: used === 0 ? slug : `${slug}-${used}` }]
  })
}

/** The fragment that GitHub and Starlight give to a heading. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-")

/** Ids of anchors in HTML. */
const idsOf = (unfenced: string): ReadonlyArray<string> =>
  unfenced
    .split('<a id="')
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('"')))

const linksOf = (prose: string): ReadonlyArray<Link> => {
  const links: Array<Link> = []
  for (let at = prose.indexOf("]("); at !== -1; at = prose.indexOf("](", at + 2)) {
    const start = at + 2
    const length = prose.slice(start).search(/[)\s]/)
    if (length > 0) links.push({ target: prose.slice(start, start + length), start, end: start + length })
  }
  return links
}

/** The text of inline Markdown: links by their text, code and emphasis without their marks. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replaceAll("`", "")
    .replaceAll("**", "")
    .replace(/\s+/g, " ")
    .trim()

/** Sentences of the first block after the headings that begin the document, if it is a paragraph. */
const openingOf = (text: string): ReadonlyArray<string> | undefined => {
  const blocks = text.split("\n\n").map((block) => block.trim())
  const first = blocks.find((block) => block !== "" && !block.startsWith("#"))
  if (first === undefined || /^(?:[|>!]|- |```|\d+\. )/.test(first)) return undefined
  return plainText(first).split(/(?<=[.?!]) /)
}
