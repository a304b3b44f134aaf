import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startEmulator } from "@tapedeck/emulator"
import { brokenLinks, documentOf, isFolder, resolveLink } from "./links.ts"
import { plainText, readMarkdown, withoutTitle } from "./markdown.ts"
import { type HeadTag, scriptTags } from "./pageScripts.ts"
import { pagesOf, root, type SourcePage, sections } from "./pages.ts"
import { type Api, type OpenApiDocument, type ReferencePage, referenceOf } from "./reference.ts"

export interface SiteOptions {
  /** Path below which the site is served, with a slash at its ends. */
  readonly base: string
  /** Address of the repository's files, to which the path of a file is added. Without it, links to files are text. */
  readonly sources?: string
}

/** A page of the site. */
export interface SitePage {
  readonly path: string
  readonly title: string
  readonly label: string
  readonly description: string
  /** Body in Markdown, whose links lead to pages of HTML. */
  readonly body: string
  /** The page in Markdown, whose links lead to pages of Markdown. */
  readonly markdown: string
  /** Tags that load the scripts of the page. */
  readonly scripts: ReadonlyArray<HeadTag>
}

export interface NavigationGroup {
  readonly title: string
  readonly isCollapsed: boolean
  readonly items: ReadonlyArray<NavigationGroup | { readonly label: string; readonly path: string }>
}

export interface Site {
  readonly pages: ReadonlyArray<SitePage>
  readonly navigation: ReadonlyArray<NavigationGroup>
  /** Paths of the pictures from the root of the repository. */
  readonly images: ReadonlyArray<string>
}

/** Returns all pages of the site. Throws an error that lists every link that leads nowhere. */
export const makeSite = async (options: SiteOptions): Promise<Site> => {
  const apis = await readApis()
  const problems: Array<string> = []
  const images = new Set<string>()
  const pages = sections.flatMap((section) => [
    ...pagesOf(section).map((page) => {
      problems.push(...brokenLinks(page.source))
      return sourcePage(page, options, images)
    }),
    ...(section.hasApis ? apis.flatMap((api) => api.pages.map((page) => referencePage(page, options))) : [])
  ])
  if (problems.length > 0) throw new Error(`Links lead nowhere:\n${problems.join("\n")}`)
  return { pages, navigation: navigationOf(apis), images: [...images].toSorted() }
}

const documents = [
  { title: "API v2", path: "reference/v2", url: "/api/v2/openapi.json" },
  { title: "Settings API", path: "reference/settings", url: "/api/settings/openapi.json" },
  { title: "Capture API", path: "reference/capture", url: "/api/capture/openapi.json" },
  { title: "API v1", path: "reference/v1", url: "/api/v1/openapi.json" },
  { title: "The emulator's control plane", path: "reference/control", url: "/_emulator/openapi.json" }
]

/** The OpenAPI documents, as an emulator serves them. */
const readApis = async (): Promise<ReadonlyArray<Api>> => {
  const emulator = await startEmulator()
  try {
    return await Promise.all(
      documents.map(async ({ path, title, url }) => {
        const response = await emulator.fetch(url)
        return referenceOf(title, path, (await response.json()) as OpenApiDocument)
      })
    )
  } finally {
    await emulator.close()
  }
}

const titleOf = ({ source }: SourcePage): string => documentOf(source).title ?? source

/** Sentences of the opening, as many as a list of results shows. */
const descriptionOf = ({ source }: SourcePage): string => {
  const [first = "", ...others] = documentOf(source).opening ?? []
  let description = first
  for (const sentence of others) {
    if (sentence.endsWith(":") || description.length >= 70 || description.length + sentence.length > 170) break
    description += ` ${sentence}`
  }
  return description
}

const sourcePage = (page: SourcePage, options: SiteOptions, images: Set<string>): SitePage => {
  const text = readFileSync(join(root, page.source), "utf8")
  const title = titleOf(page)
  const rewritten = (format: Format) => withLinks(page.source, text, options, images, format)
  return {
    path: page.path,
    title,
    label: page.label ?? title,
    description: descriptionOf(page),
    body: withoutTitle(rewritten("html")).trim(),
    markdown: rewritten("markdown"),
    scripts: scriptTags(text, options.base)
  }
}

type Format = "html" | "markdown"

/** The address of a page below the base. */
const addressOf = (base: string, path: string, format: Format): string => {
  if (format === "markdown") return `${base}${path === "" ? "index" : path}.md`
  return path === "" ? base : `${base}${path}/`
}

/** The document with the addresses of the site as targets of its links. */
const withLinks = (source: string, text: string, options: SiteOptions, images: Set<string>, format: Format): string => {
  let result = ""
  let copied = 0
  for (const { end, start, target } of documentOf(source).links) {
    const address = addressOfLink(source, target, options, images, format)
    const opens = openingBracket(text, start - 2)
    const words = text.slice(opens + 1, start - 2)
    if (address === undefined) {
      // A file that the site does not have: the text of the link remains.
      result += text.slice(copied, opens) + words
      copied = text.indexOf(")", end) + 1
    } else {
      const title = words.endsWith(".md") ? titleOfLink(source, target) : undefined
      result += title === undefined ? text.slice(copied, start) : `${text.slice(copied, opens)}[${title}](`
      result += address
      copied = end
    }
  }
  return result + text.slice(copied)
}

/** The title of the page that a link leads to: on the site, a page has no file name. */
const titleOfLink = (source: string, target: string): string | undefined => {
  const destination = resolveLink(source, target)
  return destination.kind === "page" ? documentOf(destination.file).title : undefined
}

/** The offset of the bracket that opens the text of a link, which ends at `end`. */
const openingBracket = (text: string, end: number): number => {
  let depth = 0
  for (let at = end; at >= 0; at--) {
    if (text[at] === "]") depth++
    if (text[at] === "[" && --depth === 0) return at
  }
  return end
}

const addressOfLink = (
  source: string,
  target: string,
  { base, sources }: SiteOptions,
  images: Set<string>,
  format: Format
): string | undefined => {
  const destination = resolveLink(source, target)
  switch (destination.kind) {
    case "page": {
      if (target.startsWith("#")) return target
      const fragment = destination.fragment === "" ? "" : `#${destination.fragment}`
      return addressOf(base, destination.path, format) + fragment
    }
    case "image":
      images.add(destination.file)
      return `${base}${imagePath(destination.file)}`
    case "source":
      if (sources === undefined) return undefined
      return `${sources}/${destination.file}${isFolder(destination.file) ? "/" : ""}`
    default:
      return target
  }
}

/** The path of a picture on the site. */
export const imagePath = (file: string): string => `images/${file.slice(file.lastIndexOf("/") + 1)}`

const referencePage = (page: ReferencePage, { base }: SiteOptions): SitePage => {
  const rewritten = (format: Format) => {
    let result = page.markdown
    for (const { end, start, target } of readMarkdown(page.markdown).links.toReversed()) {
      if (!target.startsWith("/")) continue
      const [path = "", fragment] = target.slice(1).split("#")
      const address = addressOf(base, path.replace(/\/$/, ""), format)
      result = `${result.slice(0, start)}${address}${fragment === undefined ? "" : `#${fragment}`}${result.slice(end)}`
    }
    return result
  }
  return {
    path: page.path,
    title: page.title,
    label: page.label,
    description: plainText(page.description),
    body: rewritten("html"),
    markdown: `# ${page.title}\n\n${rewritten("markdown")}\n`,
    scripts: []
  }
}

const navigationOf = (apis: ReadonlyArray<Api>): ReadonlyArray<NavigationGroup> =>
  sections.map(({ groups = [], hasApis, pages, title }) => ({
    title,
    isCollapsed: false,
    items: [
      ...pages.map(navigationItem),
      ...(hasApis ? apis : []).map((api) => ({
        title: api.title,
        isCollapsed: true,
        items: api.pages.map(({ label, path }) => ({ label, path }))
      })),
      ...groups.map((group) => ({ title: group.title, isCollapsed: true, items: group.pages.map(navigationItem) }))
    ]
  }))

const navigationItem = (page: SourcePage) => ({ label: page.label ?? titleOf(page), path: page.path })
