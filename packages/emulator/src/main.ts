#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { requireNode } from "@tapedeck/core/command"

requireNode("tapedeck-emulator")
// Enabled before the rest is loaded, so that the next start finds it compiled.
enableCompileCache()
// Loading many recordings teaches V8 to allocate objects as long-lived. The collection of each request's objects would then
// cost more: a fifth of a request.
setFlagsFromString("--no-allocation-site-pretenuring")
// V8 grows the heap up to four times what is in use before it collects: 300 MB after a few pages of 13 MB.
setFlagsFromString("--heap-growing-percent=50")
// Growing the young generation with the load takes 50 MB and answers no faster.
setFlagsFromString("--semi-space-growth-factor=1")
// The threads of the middle compiler leave 20 MB behind. The first 20,000 requests cost two thirds more without it, later
// ones cost the same.
setFlagsFromString("--no-maglev")

const { command } = await import("./cli/command.ts")
await command(process.argv.slice(2))
