import { linkSync, mkdirSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { ContentRow } from "@tapedeck/storage/sqlite"
import { BackupRefused, contentName, copyFile } from "./layout.ts"

/** File systems that have no such links, or that they do not reach across. */
const noLinks: ReadonlySet<string | undefined> = new Set([
  "EXDEV",
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
  "ENOSYS"
])

/**
 * Takes content that a database names from a data directory into a backup; gives what is not there. It is linked where
 * that can be done, since content never changes in its place: whoever has the link has the bytes, though the server
 * removes its own. Elsewhere it is copied, and looked at as it goes.
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

const copyContent = async (from: string, to: string, { sha256, sizeBytes }: ContentRow): Promise<boolean> => {
  const [source, target] = [join(from, contentName(sha256)), join(to, contentName(sha256))]
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  try {
    linkSync(source, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT") return false
    if (!noLinks.has(code)) throw error
    return await copied(source, target, sha256)
  }
  const found = statSync(target).size
  if (found !== sizeBytes)
    throw new BackupRefused(`${source}: it has ${found} bytes, and had ${sizeBytes}: it is damaged`)
  return true
}

const copied = async (source: string, target: string, sha256: string): Promise<boolean> => {
  try {
    const found = await copyFile(source, target)
    if (found.sha256 !== sha256)
      throw new BackupRefused(`${source}: its bytes are not those that it was kept for: it is damaged`)
    return true
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (code !== "ENOENT" || path !== source) throw error
    rmSync(target, { force: true })
    return false
  }
}
