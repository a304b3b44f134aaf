/** Browsers by the token that names them. The first match is used, because most browsers also name others. */
const browsers = [
  ["Edge", /\bEdgA?\/(\d{1,6})/],
  ["Edge", /\bEdgiOS\/(\d{1,6})/],
  ["Opera", /\bOPR\/(\d{1,6})/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d{1,6})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,6})/],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d{1,6})/],
  ["Safari", /\bVersion\/(\d{1,6})/]
] as const

/** Returns name and major version of a browser, such as `Firefox 153`; null if it is unknown. */
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

/** Returns the name of an operating system, with its version if the browser sends it, such as `Android 16`; null if it is unknown. */
export const systemOf = (userAgent: string): string | null => {
  const agent = userAgent.slice(0, 1_000)
  for (const [name, pattern] of systems) {
    const found = pattern.exec(agent)
    if (found !== null) return found[1] === undefined ? name : `${name} ${found[1].replace("_", ".")}`
  }
  return null
}
