#!/usr/bin/env node
import module from "node:module"
import { setFlagsFromString } from "node:v8"
import { requireNode } from "@tapedeck/core/nodeVersion"
import { showSources } from "@tapedeck/core/sourceStacks"
import packageJson from "../package.json" with { type: "json" }

const main = async (args: ReadonlyArray<string>) => {
  requireNode("tapedeck")
  // Before the rest is loaded: the next start finds it compiled.
  module.enableCompileCache()
  // Loading many recordings teaches V8 that what is made lives long: from then on it would put what each request makes
  // where it is dear to collect, which costs a fifth of what a request costs.
  setFlagsFromString("--no-allocation-site-pretenuring")
  const { command } = await import("./cli/command.ts")
  // After Effect is loaded, which looks at stacks as it starts.
  showSources()
  await command(args, packageJson.version)
}

void main(process.argv.slice(2))
