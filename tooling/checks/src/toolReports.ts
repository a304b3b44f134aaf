import type { Finding } from "./finding.ts"

/** The findings in a tool's JSON report; without any, the tool's output, so that its failure is always shown. */
export const readReport = (
  tool: { readonly stdout: string; readonly stderr: string },
  read: (report: unknown) => ReadonlyArray<Finding>
): { readonly findings: ReadonlyArray<Finding>; readonly remarks: ReadonlyArray<string> } => {
  const findings = readJson(tool.stdout, read)
  return { findings, remarks: findings.length === 0 ? [tool.stdout.trim(), tool.stderr.trim()] : [tool.stderr.trim()] }
}

const readJson = (text: string, read: (report: unknown) => ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  try {
    return read(JSON.parse(text))
  } catch {
    return []
  }
}

interface BiomeReport {
  readonly diagnostics: ReadonlyArray<{
    readonly category: string
    readonly message: string
    readonly location?: { readonly path?: string; readonly start?: { readonly line: number } }
  }>
}

/** `biome --reporter=json` */
export const readBiome = (report: unknown): ReadonlyArray<Finding> =>
  (report as BiomeReport).diagnostics.map(({ category, message, location }) => ({
    path: location?.path ?? "biome.json",
    line: location?.start?.line || 1,
    rule: category,
    message: category === "format" ? "is not formatted: biome check --write" : message
  }))

interface KnipReport {
  readonly issues: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly file: string }>
}

/** `knip --reporter=json`: an issue is a file, with a list for each kind of thing that is wrong with it. */
export const readKnip = (report: unknown): ReadonlyArray<Finding> =>
  (report as KnipReport).issues.flatMap((issue) =>
    Object.entries(issue).flatMap(([kind, items]) =>
      Array.isArray(items)
        ? items.flat().map((item: { readonly name: string; readonly line?: number }) => ({
            path: issue.file,
            line: item.line ?? 1,
            rule: `knip/${kind}`,
            message: kind === "files" ? "is used nowhere" : item.name
          }))
        : []
    )
  )
