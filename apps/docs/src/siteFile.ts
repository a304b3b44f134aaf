import { join } from "node:path"

/** The folder of Astro's project. */
export const ondemand = join(import.meta.dirname, "../ondemand")

/** The folder of the built site. */
export const dist = join(import.meta.dirname, "../dist")

/** The file with all pages, which `main.ts` writes and Astro's project reads. */
export const siteFile = join(ondemand, "node_modules/.site.json")
