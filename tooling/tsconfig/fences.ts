import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** A code block of a document. */
export interface Fence {
  /** Path of the document from the root. */
  readonly page: string
  /** Line of its first mark, from 1. */
  readonly line: number
  /** Line of its last mark. */
  readonly end: number
  readonly language: string
  /** Reason why no test runs it, of `unrun="…"` in its info string. */
  readonly unrun: string | undefined
  readonly code: string
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** The code blocks of a document. */
export const parseFences = (page: string, text: string): ReadonlyArray<Fence> =>
  [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)]
    .map((match) => ({ at: match.index, whole: match[0], info: match[2] ?? "", code: match[3] ?? "" }))
    .map(({ at, code, info, whole }) => ({
      page,
      line: lineAt(text, at),
      end: lineAt(text, at + whole.length),
      language: /^\S*/.exec(info)?.[0] ?? "",
      unrun: /\bunrun="([^"]*)"/.exec(info)?.[1],
      code
    }))

/**
 * The code blocks that a test proves, without those that no test runs: of the documents that match a pattern, in a language, with a
 * text. Throws if there is none.
 *
 * The call declares that its file proves these blocks: `pnpm check` fails for a block that no call names. Its arguments are literals.
 */
export const readFences = (pages: string, language: string, text = ""): ReadonlyArray<Fence> => {
  const found = globSync(pages, { cwd: root, exclude: ["**/node_modules/**"] })
    .toSorted()
    .flatMap((page) => parseFences(page, readFileSync(join(root, page), "utf8")))
    .filter((fence) => fence.unrun === undefined && fence.language === language && fence.code.includes(text))
  if (found.length === 0) throw new Error(`${pages} has no ${language} block with ${JSON.stringify(text)}`)
  return found
}

/** The code of the one block that matches, as `readFences` finds it. */
export const readFence = (page: string, language: string, text = ""): string => {
  const [fence, ...more] = readFences(page, language, text)
  if (more.length > 0) throw new Error(`${page} has ${more.length + 1} ${language} blocks with ${JSON.stringify(text)}`)
  return fence!.code
}
