import { parseFences, readFence, readFences } from "@tapedeck/tsconfig/fences.ts"
import { describe, expect, test } from "vitest"
import { checkFences, countFences, findStrayMarks, isDocument, proofsIn, proveFences } from "../src/rules/fences.ts"

const page = `# Page

\`\`\`sh
npm install
\`\`\`

- In a list:

  \`\`\`sh unrun="needs Docker"
  docker run
  \`\`\`

\`\`\`text
installed
\`\`\`
`

const source = `
import { readFence } from "@tapedeck/tsconfig/fences.ts"
run(readFence("docs/page.md", "sh", "npm"))
`

const { proofs } = proofsIn("a.test.ts", source)
const messagesOf = (text: string) =>
  checkFences(proveFences("docs/page.md", text, proofs)).map(({ line, message }) => `${line}: ${message}`)

describe("A code block of a document", () => {
  test("has a language, a line and the reason why it is not run", () => {
    expect(parseFences("docs/page.md", page)).toEqual([
      { page: "docs/page.md", line: 3, end: 5, language: "sh", unrun: undefined, code: "npm install\n" },
      { page: "docs/page.md", line: 9, end: 11, language: "sh", unrun: "needs Docker", code: "  docker run\n" },
      { page: "docs/page.md", line: 13, end: 15, language: "text", unrun: undefined, code: "installed\n" }
    ])
  })

  test("is proved by a call that reads it, by being output, or by a reason", () => {
    const fences = proveFences("docs/page.md", page, proofs)
    expect(fences.map(({ provedBy }) => provedBy)).toEqual([["a.test.ts"], ["not run: needs Docker"], ["output"]])
    expect(messagesOf(page)).toEqual([])
    expect(countFences(fences)).toBe("3 code blocks of 1 documents: 1 are run or compiled, 1 are output, 1 are not run")
  })

  test("without a proof is a finding", () => {
    expect(messagesOf(page.replace("npm install", "yarn add"))).toEqual([
      expect.stringMatching(/^3: no test reads this sh/)
    ])
    expect(messagesOf("```\nx\n```\n")).toEqual([expect.stringMatching(/^1: no test reads this unnamed/)])
    expect(messagesOf(page.replace("needs Docker", " "))).toEqual(["9: unrun needs a reason"])
  })
})

describe("A line of a document that looks like a mark", () => {
  const linesOf = (text: string) => findStrayMarks("docs/page.md", text).map(({ line }) => line)

  test("is no finding as the first or last line of a code block", () => {
    expect(linesOf(page)).toEqual([])
  })

  test.each([
    ["of tildes", "~~~sh\nnpm install\n~~~\n", [1, 3]],
    ["of tildes after spaces", "  ~~~\n  npm install\n  ~~~\n", [1, 3]],
    ["in a quote", "> ```sh\n> npm install\n> ```\n", [1, 3]],
    ["behind a tab", "\t```sh\n\tnpm install\n\t```\n", [1, 3]],
    ["behind the marker of a list", "- ```sh\n  npm install\n  ```\n", [1, 3]],
    ["without an end", "```sh\nnpm install\n", [1]],
    ["inside of a block that ends with a space and so swallows the next", `\`\`\`sh\na\n\`\`\` \n\n${page}`, [3, 7]]
  ])("is a finding %s", (_, text, lines) => {
    expect(linesOf(text)).toEqual(lines)
  })
})

test("a proof whose arguments are no literals is a finding", () => {
  const { findings, proofs } = proofsIn("a.test.ts", "readFences(page, 'sh')")
  expect(proofs).toEqual([])
  expect(findings).toMatchObject([{ path: "a.test.ts", line: 1, rule: "fence" }])
})

test("pages of the site and READMEs are documents, and generated READMEs are not", () => {
  const paths = ["README.md", "docs/start.md", "docs/adr/0001-a.md", "packages/http/README.md", "clients/go/README.md"]
  expect(paths.filter((path) => !isDocument(path))).toEqual([])
  expect(isDocument("apps/server/packaging/README.md")).toBe(false)
})

test("a block that does not exist, or is not the only one, cannot be read", () => {
  expect(() => readFences("README.md", "cobol")).toThrow("README.md has no cobol block")
  expect(() => readFence("README.md", "sh")).toThrow(/README\.md has \d sh blocks/)
  expect(() => readFences("README.md", "sh", "pnpm@12 install")).toThrow("has no sh block")
})
