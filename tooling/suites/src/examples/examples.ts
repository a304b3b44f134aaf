import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** A change of a usual kind, as a patch of this tree, and the number of hand-written files that such a change may take. */
export interface Example {
  readonly name: string
  readonly maxFiles: number
}

/** In this order, each on top of those before it. The endpoint has an audit event of its own. */
export const examples: ReadonlyArray<Example> = [
  { name: "endpoint", maxFiles: 8 },
  { name: "variable", maxFiles: 5 },
  { name: "column", maxFiles: 3 }
]

/** `git apply` takes the files below the folder that it is called in. */
const root = join(import.meta.dirname, "../../../..")

const patchOf = ({ name }: Example) => join(import.meta.dirname, `${name}.patch`)

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

/** The files that an example changes. */
export const filesOf = (example: Example): ReadonlyArray<string> =>
  git(root, "apply", "--numstat", patchOf(example))
    .trim()
    .split("\n")
    .map((line) => line.split("\t")[2] ?? "")

/** Applies an example to a tree. Its hunks have one line of context, so that changes around them do not break it. */
export const applyExample = (folder: string, example: Example): void => {
  git(folder, "apply", "-C1", patchOf(example))
}

/** Fails if the examples cannot be applied to this tree, together. */
export const checkExamples = (): void => {
  git(root, "apply", "-C1", "--check", ...examples.map(patchOf))
}
