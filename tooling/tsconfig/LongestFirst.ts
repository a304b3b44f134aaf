import { readFile } from "node:fs/promises"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** First line of a test file that takes long. */
const takesLong = "// Takes long: starts first.\n"

/**
 * Starts the files that take long first, so that none of them runs alone at the end. vitest's own order is that of the last run's
 * durations, and in a fresh clone that of the sizes, although a file of three lines may run the longest suite.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const texts = await Promise.all(sorted.map(({ moduleId }) => readFile(moduleId, "utf8")))
    const isLong = (_: TestSpecification, index: number) => texts[index]!.startsWith(takesLong)
    return [...sorted.filter(isLong), ...sorted.filter((file, index) => !isLong(file, index))]
  }
}
