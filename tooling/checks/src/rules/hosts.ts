import { type Finding, lineAt } from "../finding.ts"

/** The hosts that packages are installed from. The machine decides which one serves an install; no file names one. */
const registryHosts =
  /\b(?:registry\.(?:npmjs|yarnpkg|npmmirror)\.(?:org|com)|npm\.pkg\.github\.com|npm\.jsr\.io|(?:[a-z0-9-]+\.)*(?:deb|security|ftp|snapshot|archive)\.debian\.org|(?:archive|security|ports)\.ubuntu\.com)\b/gi

/** Registry hosts in any file, and any address at all in lockfiles, which hold integrity hashes only. */
export const checkHosts = (path: string, text: string): ReadonlyArray<Finding> => {
  const pattern = /(^|\/)pnpm-lock\.yaml$/.test(path) ? /\bhttps?:\/\/\S+|\btarball:/g : registryHosts
  return [...text.matchAll(pattern)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    rule: "registry-host",
    message: `"${match[0]}" names where packages come from; the installing machine decides that`
  }))
}
