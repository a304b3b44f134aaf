const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escape = (text: string): string => text.replace(/[&<>"]/g, (char) => entities[char] ?? char)

/** Renders text as HTML, with `words between backticks` as code. */
export const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

export const paragraphs = (text: string): string =>
  text
    .split("\n\n")
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join("")

/** Renders JSON as HTML, with indentation. */
export const pretty = (value: unknown): string => `<pre><code>${escape(JSON.stringify(value, null, 2))}</code></pre>`
