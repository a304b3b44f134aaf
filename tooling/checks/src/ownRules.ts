import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "./finding.ts"
import { checkLedger } from "./ledger/checkLedger.ts"
import { doubtAbout } from "./patternProofs.ts"
import { type Manifest, packagesAmong, projectFiles, root, type WorkspacePackage } from "./project.ts"
import { documentedPackages, findCitations } from "./rules/citations.ts"
import { clockedPackages, findClockUses } from "./rules/clock.ts"
import { checkDependencies, workspaceName } from "./rules/dependencies.ts"
import { applyExemptions, type Exemption, staleClockFiles } from "./rules/exemptions.ts"
import {
  checkFences,
  findStrayMarks,
  isDocument,
  mayProve,
  type ProvedFence,
  proofsIn,
  proveFences
} from "./rules/fences.ts"
import { checkHosts } from "./rules/hosts.ts"
import { findHashIteration } from "./rules/iteration.ts"
import { findVaryingLogMessages } from "./rules/logMessages.ts"
import { findVagueNames } from "./rules/names.ts"
import { findOpenings } from "./rules/openings.ts"
import { findUnprovenPatterns } from "./rules/patterns.ts"
import { findPrivateWords } from "./rules/words.ts"
import { checkWorkflow, isWorkflow } from "./rules/workflows.ts"
import { parseSource } from "./syntax.ts"

interface Checked {
  readonly findings: ReadonlyArray<Finding>
  readonly exemptions: ReadonlyArray<Exemption>
}

export interface CheckedRepository extends Checked {
  readonly fences: ReadonlyArray<ProvedFence>
}

/** The code blocks of all documents with their proofs, and what is wrong with them. */
export const repositoryFences = (files = projectFiles()) => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const declared = files.flatMap((path) => {
    const text = /\.[cm]?ts$/.test(path) ? read(path) : ""
    return mayProve(path, text) ? [proofsIn(path, text)] : []
  })
  const proofs = declared.flatMap((one) => one.proofs)
  const documents = files.filter(isDocument)
  const fences = documents.flatMap((path) => proveFences(path, read(path), proofs))
  const stray = documents.flatMap((path) => findStrayMarks(path, read(path)))
  return { fences, findings: [...declared.flatMap((one) => one.findings), ...stray, ...checkFences(fences)] }
}

/** Runs our own rules over the whole repository. */
export const checkRepository = (): CheckedRepository => {
  const files = projectFiles()
  const documented = repositoryFences(files)
  const packages = packagesAmong(files)
  const checked = files.map((path) => checkFile(path, readFileSync(join(root, path), "utf8"), packages))
  const exemptions = checked.flatMap((file) => file.exemptions)
  const findings = [...checked.flatMap((file) => file.findings), ...staleClockFiles(exemptions), ...checkLedger()]
  return { findings: [...findings, ...documented.findings], exemptions, fences: documented.fences }
}

/** The commands of the root's package.json, by their names. */
const rootScripts = (): ReadonlySet<string> => {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
  return new Set(Object.keys(scripts))
}

/** The rules that concern one file, by its path and the package that it lies in. */
export const checkFile = (path: string, text: string, packages: ReadonlyArray<WorkspacePackage>): Checked => {
  const words = findPrivateWords(path, text)
  const hosts = checkHosts(path, text)
  const anywhere = [...hosts, ...words, ...(isWorkflow(path) ? checkWorkflow(path, text, rootScripts()) : [])]
  const owner = packages.find(({ directory }) => path.startsWith(`${directory}/`))
  if (!owner) return { findings: anywhere, exemptions: [] }
  const { directory, manifest } = owner
  if (path === `${directory}/package.json`) {
    return { findings: [...anywhere, ...checkDependencies(path, manifest, text)], exemptions: [] }
  }
  if (!/\.[cm]?[jt]sx?$/.test(path)) return { findings: anywhere, exemptions: [] }

  const source = parseSource(path, text)
  const isProduct = /^(packages|apps)\//.test(path) && path.startsWith(`${directory}/src/`)
  const found = [
    ...words,
    ...(documentedPackages.some((name) => path.startsWith(`packages/${name}/src/`)) ? findCitations(path, text) : []),
    ...(isProduct && clockedPackages.includes(workspaceName(manifest.name) ?? "")
      ? [...findClockUses(source), ...findHashIteration(source)]
      : []),
    ...(isProduct
      ? [
          ...findUnprovenPatterns(source, doubtAbout),
          ...findVaryingLogMessages(source),
          ...findOpenings(source),
          ...findVagueNames(source)
        ]
      : [])
  ]
  const { findings, exemptions } = applyExemptions(source, found)
  return { findings: [...hosts, ...findings], exemptions }
}
