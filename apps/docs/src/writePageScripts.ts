import { cp } from "node:fs/promises"
import { join } from "node:path"
import { browserEntry, bundleForBrowser } from "@tapedeck/emulator/browser/bundle"
import { consoleFiles } from "@tapedeck/tsconfig/consoleFiles.ts"
import { consoleFolder, elementScript, emulatorScript, serviceWorker } from "./pageScripts.ts"

const page = (name: string): string => join(import.meta.dirname, "page", name)

/** Writes the scripts of pages with the licences of the packages that they contain, and the console's files. */
export const writePageScripts = async (dist: string): Promise<void> => {
  await bundleForBrowser(page("element.ts"), join(dist, elementScript))
  await bundleForBrowser(page("serviceWorker.ts"), join(dist, serviceWorker))
  await bundleForBrowser(browserEntry, join(dist, emulatorScript))
  // The host compresses, if it can.
  await cp(consoleFiles(), join(dist, consoleFolder), {
    recursive: true,
    filter: (path) => !/\.(?:gz|sha256)$/.test(path)
  })
}
