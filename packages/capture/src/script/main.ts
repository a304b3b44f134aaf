import { page } from "../intrinsics.ts"
import { SiteScript } from "./SiteScript.ts"

declare global {
  interface Window {
    Tapedeck?: Pick<SiteScript, "record" | "unload">
  }
}

const defaultLabel = "Record a problem"

/** Starts the script, which is `{base}/capture.js`. Its element has the key of the site. */
const begin = () => {
  const element = page().currentScript
  // An element of the page may have this name.
  if (!(element instanceof HTMLScriptElement) || Object.hasOwn(window, "Tapedeck")) return
  const { button, key, label } = element.dataset
  if (key === undefined) return
  const base = element.src.slice(0, element.src.lastIndexOf("/capture.js"))
  const script = new SiteScript({ base, key, label: button === "none" ? null : (label ?? defaultLabel) })
  window.Tapedeck = {
    record: script.record,
    unload: () => {
      script.unload()
      delete window.Tapedeck
    }
  }
}

try {
  begin()
} catch {
  // The page continues without the script.
}
