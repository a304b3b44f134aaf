import type { StartDocument } from "../support/target.ts"
import type { Arena } from "./Arena.ts"
import type { Size, TargetName } from "./targets.ts"

export interface Attack {
  readonly name: string
  /** The line of the issue whose promise it tries. */
  readonly line: number
  readonly targets: ReadonlyArray<TargetName>
  /** Options of `serve`. An attack that has some has a server of its own. */
  readonly options?: (size: Size) => ReadonlyArray<string>
  /** What the start document has besides the people; an attack that has some has a process of its own. */
  readonly document?: (size: Size) => StartDocument
  /** Whether it leaves the process in a state that no other attack should start from. */
  readonly isAlone?: boolean
  /** Attacks, and holds what comes back against what is promised. What is not so is noted in the arena. */
  readonly run: (arena: Arena) => Promise<void>
}
