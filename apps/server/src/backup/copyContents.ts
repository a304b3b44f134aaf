import { linkSync, mkdirSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { type ContentRow, sha256Of } from "@tapedeck/storage/sqlite"
import { BackupRefused, contentName, copyFile } from "./layout.ts"

/** Errors of file systems without hard links, and of links across file systems. */
const noLinks: ReadonlySet<string | undefined> = new Set([
  "EXDEV",
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
  "ENOSYS"
])

/**
 * Copies the content that a database names from a data directory into a backup, and returns the missing content. Content never
 * changes in place, so it is hard-linked where possible: the link stays valid when the server removes its own. Elsewhere it is
 * copied and its checksum verified.
 */
export const copyContents = async (
  from: string,
  to: string,
  contents: ReadonlyArray<ContentRow>
): Promise<ReadonlyArray<ContentRow>> => {
  const missing: Array<ContentRow> = []
  for (const content of contents) if (!(await copyContent(from, to, content))) missing.push(content)
  return missing
}

const copyContent = async (from: string, to: string, { key, sizeBytes }: ContentRow): Promise<boolean> => {
  const [source, target] = [join(from, contentName(key)), join(to, contentName(key))]
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  try {
    linkSync(source, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT") return false
    if (!noLinks.has(code)) throw error
    return await copied(source, target, sha256Of(key))
  }
  const found = statSync(target).size
  if (found !== sizeBytes) throw new BackupRefused(`${source}: damaged: ${found} bytes instead of ${sizeBytes}`)
  return true
}

const copied = async (source: string, target: string, sha256: string): Promise<boolean> => {
  try {
    const found = await copyFile(source, target)
    if (found.sha256 !== sha256) throw new BackupRefused(`${source}: damaged: its bytes differ from its checksum`)
    return true
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (code !== "ENOENT" || path !== source) throw error
    rmSync(target, { force: true })
    return false
  }
}
