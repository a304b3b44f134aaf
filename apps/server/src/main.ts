#!/usr/bin/env node
import module from "node:module"
import { setFlagsFromString } from "node:v8"
import { requireNode } from "@tapedeck/core/command"
import { showSources } from "@tapedeck/core/sourceStacks"
import packageJson from "../package.json" with { type: "json" }

const main = async (args: ReadonlyArray<string>) => {
  requireNode("tapedeck")
  // Enabled before the rest is loaded, so that the next start finds it compiled.
  module.enableCompileCache()
  // Loading many recordings teaches V8 to allocate objects as long-lived. The collection of each request's objects would then
  // cost more: a fifth of a request.
  setFlagsFromString("--no-allocation-site-pretenuring")
  // V8 grows the heap up to four times what is in use before it collects: 300 MB after a few pages of 13 MB.
  setFlagsFromString("--heap-growing-percent=50")
  const { command } = await import("./cli/command.ts")
  // After Effect is loaded, because it inspects stacks while it loads.
  showSources()
  await command(args, packageJson.version)
}

void main(process.argv.slice(2))
