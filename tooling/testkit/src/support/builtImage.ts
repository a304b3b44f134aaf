import { chmodSync, copyFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { buildImage, type Image, isOffline } from "./dockerfile.ts"
import { type Folder, temporaryFolder } from "./process.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

type Skip = (condition: boolean, note: string) => void

/** An image of this repository, built once for the tests beside it; without a network they are skipped. */
export const builtImage = (dockerfile: string) => {
  let folder: Folder
  let image: Image | undefined
  beforeAll(async () => {
    folder = await temporaryFolder()
    chmodSync(folder.path, 0o755)
    // Stands for the base image's. The one that runs the tests may lie where a user without rights cannot reach it.
    copyFileSync(process.execPath, join(folder.path, "node"))
    try {
      image = await buildImage(join(root, dockerfile), root, folder.path)
    } catch (error) {
      if (!isOffline(error)) throw error
      console.warn("the Dockerfile's steps are not done: packages cannot be installed from here")
    }
  }, 300_000)
  afterAll(() => folder.remove())
  return (skip: Skip): { readonly image: Image; readonly folder: Folder } => {
    skip(image === undefined, "packages cannot be installed from here")
    return { image: image!, folder }
  }
}
