import { readFileSync } from "node:fs"
import starlight from "@astrojs/starlight"
import { defineConfig, passthroughImageService } from "astro/config"
import type { NavigationGroup } from "../src/site.ts"
import { siteFile } from "../src/siteFile.ts"

const { base, navigation } = JSON.parse(readFileSync(siteFile, "utf8"))

const sidebarOf = (group: NavigationGroup): object => ({
  label: group.title,
  collapsed: group.isCollapsed,
  items: group.items.map((item) =>
    "items" in item ? sidebarOf(item) : { label: item.label, link: item.path === "" ? "/" : `/${item.path}/` }
  )
})

export default defineConfig({
  base,
  outDir: "../dist",
  trailingSlash: "always",
  devToolbar: { enabled: false },
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "Tapedeck",
      description: "Self-hosted recording capture for customer support.",
      favicon: "/favicon.svg",
      logo: { src: "./public/favicon.svg" },
      customCss: ["@fontsource-variable/inter/wght.css", "./src/style.css"],
      components: { PageTitle: "./src/PageTitle.astro" },
      sidebar: navigation.map(sidebarOf),
      credits: false,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 }
    })
  ]
})
