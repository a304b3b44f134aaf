/** Something that fails the build. `path` is from the repository's root, `line` counts from 1. */
export interface Finding {
  readonly path: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

/** One line, in the form that editors and terminals make a link of: `path:line rule message`. */
export const formatFinding = (finding: Finding): string =>
  `${finding.path}:${finding.line} ${finding.rule} ${finding.message.replaceAll(/\s*\n\s*/g, " ")}`

/** The 1-based line of `offset` in `text`. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}
