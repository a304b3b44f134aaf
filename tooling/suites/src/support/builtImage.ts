import { chmodSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { buildImage, type Image, isRegistryReachable } from "./dockerfile.ts"
import { type Folder, temporaryFolder } from "./process.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const unreachable = "npm reaches no package registry from here"

type Skip = (condition: boolean, note: string) => void

/** An image of this repository, built once for the tests beside it; they are skipped only where npm reaches no registry. */
export const builtImage = (dockerfile: string) => {
  let folder: Folder
  let image: Image | undefined
  beforeAll(async () => {
    folder = await temporaryFolder()
    chmodSync(folder.path, 0o755)
    if (await isRegistryReachable(folder.path)) image = await buildImage(join(root, dockerfile), root, folder.path)
    else console.warn(`${dockerfile} is not built: ${unreachable}`)
  }, 300_000)
  afterAll(() => folder.remove())
  return (skip: Skip): { readonly image: Image; readonly folder: Folder } => {
    skip(image === undefined, unreachable)
    return { image: image!, folder }
  }
}
