/**
 * Type-checks the package in the working directory. Prints `path:line rule message` with paths from the repository's root; exits as
 * the compiler does, so errors and warnings both fail.
 */
import { compile } from "./compiler.ts"

const { output, status } = await compile(process.cwd(), ".")
process.stdout.write(output)
process.exitCode = status
