/** Browsers by the token that names them; the first that fits, because most name others too. */
const browsers = [
  ["Edge", /\bEdgA?\/(\d{1,6})/],
  ["Edge", /\bEdgiOS\/(\d{1,6})/],
  ["Opera", /\bOPR\/(\d{1,6})/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d{1,6})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,6})/],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d{1,6})/],
  ["Safari", /\bVersion\/(\d{1,6})/]
] as const

/** Name and major version: `Firefox 153`. Null: unknown. */
export const browserOf = (userAgent: string): string | null => {
  const agent = userAgent.slice(0, 1_000)
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(agent)?.[1]
    if (version !== undefined) return `${name} ${version}`
  }
  return null
}

const systems = [
  ["iOS", /\b(?:iPhone|iPad)[^)]{0,100}? OS (\d{1,3})/],
  ["Android", /\bAndroid (\d{1,3})/],
  ["macOS", /\bMac OS X (\d{1,3}[._]\d{1,3})/],
  ["Windows", /\bWindows NT (\d{1,3})/],
  ["ChromeOS", /\bCrOS /],
  ["Linux", /\bLinux\b/]
] as const

/** Name, and version where the browser gives it: `Android 16`. Null: unknown. */
export const systemOf = (userAgent: string): string | null => {
  const agent = userAgent.slice(0, 1_000)
  for (const [name, pattern] of systems) {
    const found = pattern.exec(agent)
    if (found !== null) return found[1] === undefined ? name : `${name} ${found[1].replace("_", ".")}`
  }
  return null
}
