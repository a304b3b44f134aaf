import { expect, test } from "vitest"
import { readMarkdown, withoutTitle } from "../src/markdown.ts"

const document = `# The \`tool\`

Runs [tests](a.md). It has \`](no.md)\` a limit of 1.5 s.

\`\`\`sh
# no heading, and [no link](b.md)
\`\`\`

## It's "done" – really_so!

![A picture](images/a.png) and <a id="named"></a>[two
lines](../b.md#c).

## Limits
## Limits
`

test("title, opening, headings and links are read without code", () => {
  const { anchors, headings, links, opening, title } = readMarkdown(document)
  expect(title).toBe("The tool")
  expect(opening).toEqual(["Runs tests.", "It has ](no.md) a limit of 1.5 s."])
  expect(headings.map(({ anchor }) => anchor)).toEqual(["the-tool", "its-done--really_so", "limits", "limits-1"])
  expect([...anchors]).toEqual(["the-tool", "its-done--really_so", "limits", "limits-1", "named"])
  expect(links.map(({ target }) => target)).toEqual(["a.md", "images/a.png", "../b.md#c"])
  expect(links.map(({ end, start }) => document.slice(start, end))).toEqual(["a.md", "images/a.png", "../b.md#c"])
})

test("a document that begins with code, a table or a list has no opening", () => {
  for (const block of ["```sh\nls\n```", "| a |", "- a", "1. a", "![a](b.png)"]) {
    expect(readMarkdown(`# T\n\n${block}\n\nText.`).opening, block).toBeUndefined()
  }
})

test("the title is removed from the body", () => {
  expect(withoutTitle("# T\n\nText")).toBe("\nText")
})
