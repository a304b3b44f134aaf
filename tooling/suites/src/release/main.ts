/**
 * `pnpm release:rehearse`: releases the last commit to a registry on loopback, and uses the packages as strangers do. Prints a line
 * for each thing that it proved, and ends with exit code 1 at the first that fails. It changes nothing outside a temporary folder.
 */
import { parseArgs } from "node:util"
import { downloads } from "./downloads.ts"
import { firstMinutes } from "./firstMinutes.ts"
import { install, installAsDocumented, managers } from "./installs.ts"
import { startRegistry } from "./registry.ts"
import { checkTree, copyTree, publish, versionTree } from "./tree.ts"
import { Workplace } from "./Workplace.ts"

const usage = `npx pnpm -s release:rehearse [options]

  --only NAME     one package manager: ${managers.map(({ name }) => name).join(", ")}; can be repeated. All by default
  --skip-checks   leaves out the checks of the versioned tree, which take most of the time
  --keep          keeps the temporary folder, and prints its path
  --help          this text`

const readOptions = () => {
  try {
    return parseArgs({
      options: {
        only: { type: "string", multiple: true, default: [] },
        "skip-checks": { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (cause) {
    console.error(`${(cause as Error).message}\n\n${usage}`)
    return process.exit(2)
  }
}

const options = readOptions()
if (options.help) {
  console.log(usage)
  process.exit()
}
const unknown = options.only.filter((name) => managers.every((manager) => manager.name !== name))
if (unknown.length > 0) {
  console.error(`--only: ${unknown.join(", ")} is no package manager\n\n${usage}`)
  process.exit(2)
}

const workplace = await Workplace.create()
const end = () => workplace.end({ isKept: options.keep })
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end().then(() => process.exit(1)))

const began = performance.now()
const prove = (line: string) =>
  console.log(`${`${Math.round((performance.now() - began) / 1000)} s`.padEnd(7)} ${line}`)

try {
  prove(await copyTree(workplace))
  const released = await versionTree(workplace)
  prove(`${released.length} packages have the version ${released[0]?.version}, and a changelog`)
  if (!options["skip-checks"]) for await (const line of checkTree(workplace)) prove(line)
  const registry = await startRegistry(workplace)
  await workplace.useRegistry(registry.url, registry.token)
  for await (const line of publish(workplace, registry, released)) prove(line)
  for (const manager of managers) {
    if (options.only.length > 0 && !options.only.includes(manager.name)) continue
    for await (const line of install(workplace, registry, manager, released)) prove(line)
  }
  for await (const line of installAsDocumented(workplace)) prove(line)
  for await (const line of firstMinutes(workplace)) prove(line)
  for await (const line of downloads(workplace, released[0]?.version ?? "")) prove(line)
} catch (error) {
  console.error(`FAILED  ${(error as Error).message}`)
  process.exitCode = 1
} finally {
  await end()
  if (options.keep) console.log(`kept    ${workplace.folder}`)
}
