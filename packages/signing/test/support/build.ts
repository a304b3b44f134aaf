import { build } from "tsdown"
import { packageDirectory } from "./run.ts"

/** Builds `dist` once for all tests. */
export default async (): Promise<void> => {
  await build({ cwd: packageDirectory, logLevel: "error" })
}
