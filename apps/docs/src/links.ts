import { existsSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { type MarkdownDocument, readMarkdown } from "./markdown.ts"
import { root, sourcePages } from "./pages.ts"

/** The file or page that a link of a document leads to. */
export type Destination =
  | { readonly kind: "external" }
  | { readonly kind: "page"; readonly file: string; readonly path: string; readonly fragment: string }
  | { readonly kind: "image"; readonly file: string }
  /** A file or folder of the repository that is no page. */
  | { readonly kind: "source"; readonly file: string; readonly fragment: string }
  | { readonly kind: "broken"; readonly problem: string }

const pathOf = new Map(sourcePages.map(({ path, source }) => [source, path]))

const documents = new Map<string, MarkdownDocument>()

/** Reads a Markdown file of the repository once. */
export const documentOf = (source: string): MarkdownDocument => {
  const known = documents.get(source)
  if (known !== undefined) return known
  const document = readMarkdown(readFileSync(join(root, source), "utf8"))
  documents.set(source, document)
  return document
}

/** Returns the destination of a link, whose target is relative to the file `source`. */
export const resolveLink = (source: string, target: string): Destination => {
  if (/^[a-z]+:/.test(target)) return { kind: "external" }
  const [path = "", fragment = ""] = target.split("#")
  const file = path === "" ? source : posix.join(posix.dirname(source), path).replace(/\/$/, "")
  if (file.startsWith("..") || !existsSync(join(root, file)))
    return { kind: "broken", problem: `${file} does not exist` }
  if (file.endsWith(".md") && fragment !== "" && !documentOf(file).anchors.has(fragment)) {
    return { kind: "broken", problem: `${file} has no heading #${fragment}` }
  }
  const page = pathOf.get(file)
  if (page !== undefined) return { kind: "page", file, path: page, fragment }
  if (/\.(?:png|svg)$/.test(file)) return { kind: "image", file }
  return { kind: "source", file, fragment }
}

/** The problems of a document's links. */
export const brokenLinks = (source: string): ReadonlyArray<string> =>
  documentOf(source).links.flatMap(({ target }) => {
    const destination = resolveLink(source, target)
    return destination.kind === "broken" ? [`${source}: ${target}: ${destination.problem}`] : []
  })

/** True if the path is a folder of the repository. */
export const isFolder = (file: string): boolean => statSync(join(root, file)).isDirectory()
