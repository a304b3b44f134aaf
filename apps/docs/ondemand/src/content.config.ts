import { defineCollection } from "astro:content"
import { readFileSync } from "node:fs"
import { docsSchema } from "@astrojs/starlight/schema"
import type { SitePage } from "../../src/site.ts"
import { siteFile } from "../../src/siteFile.ts"

interface WrittenSite {
  readonly base: string
  readonly pages: ReadonlyArray<SitePage>
}

/** Loads the pages that `src/main.ts` wrote. */
const docs = defineCollection({
  loader: {
    name: "tapedeck-pages",
    load: async ({ parseData, renderMarkdown, store }) => {
      const { base, pages }: WrittenSite = JSON.parse(readFileSync(siteFile, "utf8"))
      store.clear()
      for (const { body, description, path, scripts, title } of pages) {
        const id = path === "" ? "index" : path
        const markdown = `${base}${id}.md`
        const data = await parseData({
          id,
          data: {
            title,
            description,
            head: [{ tag: "link", attrs: { rel: "alternate", type: "text/markdown", href: markdown } }, ...scripts]
          }
        })
        store.set({ id, data, body, rendered: await renderMarkdown(body) })
      }
    }
  },
  schema: docsSchema()
})

export const collections = { docs }
