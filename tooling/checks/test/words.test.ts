import { describe, expect, it } from "vitest"
import { findPrivateWords, privateFileNames, privateWords } from "../src/rules/words.ts"

const words = Object.keys(privateWords)

describe("plain words", () => {
  it.each(words)("are required in comments, strings and names: the word %#", (word) => {
    const upper = word.charAt(0).toUpperCase() + word.slice(1)
    const text = `/** Waits ${word}. */\nconst a = "${upper} waits"\n`
    const found = findPrivateWords("packages/core/src/a.ts", text)
    expect(found).toMatchObject([
      { path: "packages/core/src/a.ts", line: 1, rule: "plain-words" },
      { line: 2, message: expect.stringContaining(`"${upper}": write `) }
    ])
  })

  it.each([...privateFileNames, ...words.filter((word) => !word.includes(" "))])(
    "are required in the names of files: the name %#",
    (name) => {
      const upper = name.charAt(0).toUpperCase() + name.slice(1)
      for (const path of [`packages/core/src/${name}.ts`, `packages/core/test/${upper}.test.ts`, `docs/${name}.md`])
        expect(findPrivateWords(path, ""), path).toMatchObject([{ path, line: 1, rule: "plain-words" }])
    }
  )

  it("do not include parts of other words", () => {
    expect(findPrivateWords("docs/workaround.md", "noBody, troubleshooting, celestial, handsome")).toEqual([])
  })

  it("are not required where the ledger quotes the specification", () => {
    expect(findPrivateWords("docs/fidelity.md", words.join("\n"))).toEqual([])
  })
})
