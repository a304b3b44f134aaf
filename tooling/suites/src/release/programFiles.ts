import { closeSync, globSync, openSync, readSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Archives, writeArchive } from "./archive.ts"

/** Systems for which the workflow makes the programs. */
export const systems = ["linux-x64", "linux-arm64", "macos-x64", "macos-arm64"] as const

type System = (typeof systems)[number]

/** Number of bytes of an executable that `systemOf` reads. */
const headBytes = 20

/** The system of an executable by its first bytes: ELF for Linux, Mach-O for macOS. Undefined for anything else. */
export const systemOf = (head: Buffer): System | undefined => {
  if (head.length < headBytes) return undefined
  if (head.readUInt32BE(0) === 0x7f454c46) {
    const machine = head.readUInt16LE(18)
    return machine === 62 ? "linux-x64" : machine === 183 ? "linux-arm64" : undefined
  }
  if (head.readUInt32LE(0) !== 0xfeedfacf) return undefined
  const processor = head.readUInt32LE(4)
  return processor === 0x01000007 ? "macos-x64" : processor === 0x0100000c ? "macos-arm64" : undefined
}

const systemOfFile = (path: string): System | undefined => {
  const file = openSync(path, "r")
  try {
    const head = Buffer.alloc(headBytes)
    return systemOf(head.subarray(0, readSync(file, head)))
  } finally {
    closeSync(file)
  }
}

interface Selection {
  /** Folder of the programs, in which they may lie in folders. */
  readonly from: string
  readonly names: ReadonlyArray<string>
  readonly systems: ReadonlyArray<System>
}

/** Writes `NAME-SYSTEM.tar.gz` for each program and system. Throws for a program that is missing, or that exists twice. */
export const archivePrograms = ({ from, names, systems }: Selection, archives: Archives): void => {
  for (const name of names) {
    const files = globSync(`**/${name}`, { cwd: from }).map((path) => join(from, path))
    for (const system of systems) {
      const [file, ...more] = files.filter((path) => systemOfFile(path) === system)
      if (file === undefined) throw new Error(`${name} for ${system} is not in ${from}`)
      if (more.length > 0) throw new Error(`${name} for ${system} exists twice: ${[file, ...more].join(", ")}`)
      // Uploads of a workflow lose the mode.
      writeArchive(
        `${name}-${system}.tar.gz`,
        { folder: dirname(file), names: [basename(file)], isProgram: true },
        archives
      )
    }
  }
}
