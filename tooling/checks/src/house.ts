import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "./finding.ts"
import { checkLedger } from "./ledger/checkLedger.ts"
import { doubtAbout } from "./patternProofs.ts"
import { packagesAmong, projectFiles, root, type WorkspacePackage } from "./project.ts"
import { roomOf } from "./rooms.ts"
import { clockedRooms, findClockUses } from "./rules/clock.ts"
import { applyExemptions, type Exemption, staleClockFiles } from "./rules/exemptions.ts"
import { checkImports, checkManifest } from "./rules/imports.ts"
import { findHashIteration } from "./rules/iteration.ts"
import { findUnprovenPatterns } from "./rules/patterns.ts"
import { checkHosts, checkLength, missingLongFiles } from "./rules/text.ts"
import { parseSource } from "./syntax.ts"

interface Verdict {
  readonly findings: ReadonlyArray<Finding>
  readonly exemptions: ReadonlyArray<Exemption>
}

/** Runs our own rules over the whole repository. */
export const checkHouse = (): Verdict => {
  const files = projectFiles()
  const packages = packagesAmong(files)
  const verdicts = files.map((path) => checkFile(path, readFileSync(join(root, path), "utf8"), packages))
  const exemptions = verdicts.flatMap((verdict) => verdict.exemptions)
  return {
    findings: [
      ...verdicts.flatMap((verdict) => verdict.findings),
      ...staleClockFiles(exemptions),
      ...missingLongFiles(files),
      ...checkLedger()
    ],
    exemptions
  }
}

/** The rules that concern one file, by its path and the package that it lies in. */
export const checkFile = (path: string, text: string, packages: ReadonlyArray<WorkspacePackage>): Verdict => {
  const anywhere = checkHosts(path, text)
  const owner = packages.find(({ directory }) => path.startsWith(`${directory}/`))
  if (!owner) return { findings: anywhere, exemptions: [] }
  const { directory, manifest } = owner
  if (path === `${directory}/package.json`) {
    return { findings: [...anywhere, ...checkManifest(path, manifest, text)], exemptions: [] }
  }
  if (!/\.[cm]?[jt]sx?$/.test(path)) return { findings: anywhere, exemptions: [] }

  const source = parseSource(path, text)
  const room = roomOf(manifest.name) ?? manifest.name
  const isProduct = /^(packages|apps)\//.test(path) && path.startsWith(`${directory}/src/`)
  const found = [
    ...(isProduct && clockedRooms.includes(room) ? [...findClockUses(source), ...findHashIteration(source)] : []),
    ...(isProduct ? findUnprovenPatterns(source, doubtAbout) : [])
  ]
  const { findings, exemptions } = applyExemptions(source, found)
  return {
    findings: [...anywhere, ...checkImports(source, room, directory), ...findings, ...checkLength(path, text)],
    exemptions
  }
}
