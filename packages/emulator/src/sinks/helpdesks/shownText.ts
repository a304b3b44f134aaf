/** Elements that begin a new line. */
const blocks = new Set([
  "br",
  "p",
  "div",
  "li",
  "ul",
  "ol",
  "tr",
  "table",
  "blockquote",
  "pre",
  "hr",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6"
])

/** Elements whose content a helpdesk removes. */
const removed = new Set(["script", "style"])

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0"
}

const decoded = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? whole
    const code = name[1]?.toLowerCase() === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

/** Returns the text that a reader sees of HTML, with line breaks. An unclosed tag is text. */
export const textOfHtml = (html: string): string => {
  const lower = html.toLowerCase()
  let shown = ""
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    const close = open < 0 ? -1 : html.indexOf(">", open)
    if (close < 0) break
    shown += spaced(html.slice(at, open))
    const tag = html
      .slice(open + 1, close)
      .trim()
      .toLowerCase()
    const name = (tag.startsWith("/") ? tag.slice(1) : tag).split(/[\s/]/, 1)[0] ?? ""
    at = close + 1
    if (blocks.has(name)) shown += "\n"
    if (removed.has(name) && !tag.startsWith("/")) {
      const end = lower.indexOf(`</${name}`, at)
      if (end < 0) return linesOf(shown)
      at = end
    }
  }
  return linesOf(shown + spaced(html.slice(at)))
}

/** White space of HTML is one space; entities are decoded afterwards, so that `&nbsp;` stays. */
const spaced = (text: string): string => decoded(text.replace(/[ \t\n\r\f]+/g, " "))

/** Removes empty lines, and spaces at the ends of lines. */
export const linesOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")
