import { join } from "node:path"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { build } from "tsdown"
import { packageDirectory } from "./run.ts"

/** Builds `dist`, unless turbo has, and installs the frameworks, once for all tests. */
export default async (): Promise<void> => {
  installOnDemand(join(packageDirectory, "ondemand"))
  if (process.env.TURBO_HASH === undefined) await build({ cwd: packageDirectory, logLevel: "error" })
}
