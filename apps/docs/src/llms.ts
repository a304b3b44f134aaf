import type { NavigationGroup, Site, SiteOptions } from "./site.ts"

const addressOf = (base: string, path: string): string => `${base}${path === "" ? "index" : path}.md`

/** `llms.txt`: the pages by section, each with its address in Markdown and its description. */
export const llmsIndex = ({ navigation, pages }: Site, { base }: SiteOptions): string => {
  const descriptions = new Map(pages.map(({ description, path }) => [path, description]))
  const listOf = ({ items }: NavigationGroup, prefix: string): ReadonlyArray<string> =>
    items.flatMap((item) =>
      "items" in item
        ? listOf(item, `${item.title}: `)
        : [`- [${prefix}${item.label}](${addressOf(base, item.path)}): ${descriptions.get(item.path)}`]
    )
  const [home] = pages
  return [
    `# ${home?.title}`,
    `> ${home?.description}`,
    `All pages as one file: [llms-full.txt](${base}llms-full.txt).`,
    ...navigation.flatMap((section) => [`## ${section.title}`, listOf(section, "").join("\n")])
  ]
    .join("\n\n")
    .concat("\n")
}

/** `llms-full.txt`: every page, each after a line with its address. */
export const llmsFull = ({ pages }: Site, { base }: SiteOptions): string =>
  pages.map(({ markdown, path }) => `Page: ${addressOf(base, path)}\n\n${markdown.trim()}\n`).join("\n---\n\n")
