import { join } from "node:path"
import { browserEntry, bundleForBrowser } from "@tapedeck/emulator/browser/bundle"
import { elementScript, emulatorScript } from "./pageScripts.ts"

/** Writes the scripts of pages, and the licences of the packages that they contain. */
export const writePageScripts = async (dist: string): Promise<void> => {
  await bundleForBrowser(join(import.meta.dirname, "page/element.ts"), join(dist, elementScript))
  await bundleForBrowser(browserEntry, join(dist, emulatorScript))
}
