/** Paths of the scripts below the root of the site. The first imports the second. */
export const elementScript = "emulator/element.js"
export const emulatorScript = "emulator/emulator.js"

/** The service worker that answers the console's requests, and the folder of the console's files. */
export const serviceWorker = "emulator/serviceWorker.js"
export const consoleFolder = "emulator/console"

/** A tag of a page's head. */
export interface HeadTag {
  readonly tag: "link" | "script"
  readonly attrs: Readonly<Record<string, string>>
}

/** Tags that load the scripts of a page: those of the element `tapedeck-emulator`, if the page has it. */
export const scriptTags = (body: string, base: string): ReadonlyArray<HeadTag> =>
  body.includes("<tapedeck-emulator>")
    ? [
        { tag: "link", attrs: { rel: "modulepreload", href: base + emulatorScript } },
        { tag: "script", attrs: { type: "module", src: base + elementScript } }
      ]
    : []
