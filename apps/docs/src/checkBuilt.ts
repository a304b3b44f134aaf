import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { consoleFolder } from "./pageScripts.ts"

/** Returns the problems of a built site: links and files that lead nowhere, and files that a browser would load from another host. */
export const checkBuilt = (dist: string, base: string): ReadonlyArray<string> => {
  // The console's documents get their addresses when a page serves them.
  const files = globSync("**/*.html", { cwd: dist, exclude: [`${consoleFolder}/**`] }).toSorted()
  const html = new Map(files.map((file) => [file, readFileSync(join(dist, file), "utf8")]))
  const anchors = new Map([...html].map(([file, text]) => [file, attributesOf(text, "id")]))
  return [...html].flatMap(([file, text]) => [
    ...[...attributesOf(text, "href"), ...attributesOf(text, "src")].flatMap((target) => {
      const problem = problemOf(target, file, dist, base, anchors)
      return problem === undefined ? [] : [`${file}: ${target}: ${problem}`]
    }),
    ...loadedElsewhere(text).map((tag) => `${file}: loads from another host: ${tag}`)
  ])
}

const attributesOf = (html: string, name: string): ReadonlySet<string> => {
  const values = new Set<string>()
  const opening = ` ${name}="`
  for (let at = html.indexOf(opening); at !== -1; at = html.indexOf(opening, at + 1)) {
    const start = at + opening.length
    values.add(html.slice(start, html.indexOf('"', start)).replaceAll("&amp;", "&"))
  }
  return values
}

const problemOf = (
  target: string,
  file: string,
  dist: string,
  base: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>
): string | undefined => {
  if (/^(?:[a-z]+:|\/\/)/.test(target) || target === "") return undefined
  const [path = "", fragment = ""] = target.split("#")
  if (path !== "" && !path.startsWith(base)) return "is not below the base"
  const found = path === "" ? file : pageFile(decodeURI(path.slice(base.length)))
  if (!existsSync(join(dist, found))) return "leads nowhere"
  if (fragment === "" || !found.endsWith(".html")) return undefined
  return anchors.get(found)?.has(decodeURIComponent(fragment)) ? undefined : "has no such heading"
}

const pageFile = (path: string): string => (path === "" || path.endsWith("/") ? `${path}index.html` : path)

/** Tags that make a browser request another host when it opens the page. */
const loadedElsewhere = (html: string): ReadonlyArray<string> => {
  const tags: Array<string> = []
  for (const name of ["<script", "<link", "<img", "<iframe", "<source", "<video"]) {
    for (let at = html.indexOf(name); at !== -1; at = html.indexOf(name, at + 1)) {
      const tag = html.slice(at, html.indexOf(">", at) + 1)
      const isNamed = / rel="(?:canonical|alternate|sitemap)"/.test(tag)
      if (!isNamed && /(?:src|href)="(?:https?:)?\/\//.test(tag)) tags.push(tag)
    }
  }
  return tags
}
