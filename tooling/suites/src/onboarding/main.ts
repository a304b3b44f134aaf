/**
 * `pnpm test:onboarding`: does what the documents say, from their code blocks alone, in empty directories and with packages of a registry
 * on loopback, and measures it. Ends with exit code 1 if a step fails, or a walk takes longer than promised.
 */
import { startRegistry } from "../release/registry.ts"
import { copyTree, publish, versionTree } from "../release/tree.ts"
import { Workplace } from "../release/Workplace.ts"
import { walkAll } from "./walkAll.ts"

const workplace = await Workplace.create()
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void workplace.end({ isKept: false }).then(() => process.exit(1)))

try {
  console.log(await copyTree(workplace))
  const released = await versionTree(workplace)
  const registry = await startRegistry(workplace)
  await workplace.useRegistry(registry.url, registry.token)
  for await (const _ of publish(workplace, registry, released));
  console.log(`published ${released.length} packages on loopback`)
  if (!(await walkAll(workplace))) process.exitCode = 1
} catch (error) {
  console.error(`FAILED  ${(error as Error).message}`)
  process.exitCode = 1
} finally {
  await workplace.end({ isKept: false })
}
