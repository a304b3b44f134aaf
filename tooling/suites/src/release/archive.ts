import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Archives of a release. */
export interface Archives {
  /** Folder that they are written to. */
  readonly out: string
  /** Time of all their files, in seconds since 1970. */
  readonly time: number
}

interface Content {
  readonly folder: string
  /** Names in the folder. */
  readonly names: ReadonlyArray<string>
  /** Whether the files become executable. Uploads of a workflow lose that. */
  readonly isProgram?: boolean
}

/** Writes a `.tar.gz` that depends only on the names and bytes of its files, and on `time`. Requires GNU tar. */
export const writeArchive = (name: string, { folder, isProgram, names }: Content, { out, time }: Archives): void => {
  const owner = ["--owner=0", "--group=0", "--numeric-owner"]
  const mode = isProgram === true ? "--mode=755" : "--mode=u=rwX,go=rX"
  const options = [...owner, mode, `--mtime=@${time}`, "--sort=name", "-C", folder]
  execFileSync("tar", ["-czf", join(out, name), ...options, ...names], { stdio: ["ignore", "ignore", "inherit"] })
}
