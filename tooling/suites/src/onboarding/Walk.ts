import { spawnSync } from "node:child_process"
import type { Machine } from "../support/machine.ts"

/** Everything that walks have in common. */
export interface Place {
  /** An empty directory for a walk. */
  readonly emptyDirectory: (name: string) => Promise<string>
  /** Runs a block of a page, and returns its output. Programs: Node, npm, and those of the system. */
  readonly run: (block: string, options: RunOptions) => Promise<string>
  /** A machine for a server, whose `npm pack` is answered by the registry. */
  readonly machine: () => Promise<Machine>
  /** Calls a function at the end. */
  readonly atEnd: (call: () => Promise<void> | void) => void
}

interface RunOptions {
  readonly cwd: string
  readonly variables?: Readonly<Record<string, string>>
  /** Directories of further programs. */
  readonly path?: ReadonlyArray<string>
}

/** Runs one step of a walk, measures it, and names it in the table. */
export type Step = <A>(title: string, run: () => Promise<A>) => Promise<A>

/** A task that a reader does with these pages and nothing else. */
export interface Walk {
  readonly title: string
  readonly pages: ReadonlyArray<string>
  readonly maxMinutes: number
  /** A program or a result of an earlier walk that the walk needs, and that its pages do not install. */
  readonly missing?: () => string | undefined
  readonly walk: (place: Place, step: Step) => Promise<void>
}

/** The program's name if it cannot be started here. */
export const missingProgram = (program: string, ...args: ReadonlyArray<string>): string | undefined =>
  spawnSync(program, args).status === 0 ? undefined : program

/** Throws unless the text has the pattern. */
export const expectText = (text: string, pattern: RegExp): RegExpExecArray => {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`${pattern} is not in the output:\n${text}`)
  return found
}
