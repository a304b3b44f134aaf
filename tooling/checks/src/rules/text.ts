import { type Finding, lineAt } from "../finding.ts"

/** The hosts that packages are installed from. Which one serves an install is the machine's business, in no file of ours. */
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

/** Files that may be longer than `maxLines`, and why. An entry that is no longer needed is a finding. */
const longFiles: Readonly<Record<string, string>> = {}

const maxLines = 400

/** Sources past 400 lines fail unless `longFiles` says why; generated ones (`.gen.ts`) are not read from top to end. */
export const checkLength = (
  path: string,
  text: string,
  allowed: Readonly<Record<string, string>> = longFiles
): ReadonlyArray<Finding> => {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  const listed = path in allowed
  if (path.endsWith(".gen.ts")) return []
  if (lines > maxLines && !listed) {
    const message = `has ${lines} lines: split it, or say why in longFiles (tooling/checks/src/rules/text.ts)`
    return [{ path, line: maxLines + 1, rule: "file-length", message }]
  }
  if (lines <= maxLines && listed) {
    return [{ path, line: 1, rule: "file-length", message: `has ${lines} lines: take it off longFiles` }]
  }
  return []
}

/** The entries of `allowed` whose file is gone. */
export const missingLongFiles = (
  files: ReadonlyArray<string>,
  allowed: Readonly<Record<string, string>> = longFiles
): ReadonlyArray<Finding> =>
  Object.keys(allowed)
    .filter((path) => !files.includes(path))
    .map((path) => ({ path, line: 1, rule: "file-length", message: "does not exist: take it off longFiles" }))
