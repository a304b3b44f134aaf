#!/usr/bin/env node
import { enableCompileCache, getCompileCacheDir } from "node:module"
import { setFlagsFromString } from "node:v8"
import { requireNode } from "@tapedeck/core/nodeVersion"
import type { command } from "../cli/command.ts"
import { scripts } from "./scripts.ts"

requireNode("tapedeck-emulator")
// Loading many recordings teaches V8 that what is made lives long: from then on it would put what each request makes
// where it is dear to collect, which costs a fifth of what a request costs.
setFlagsFromString("--no-allocation-site-pretenuring")
// The room for what is made and soon gone stays small: growing it with the load takes 50 MB and answers no faster.
setFlagsFromString("--semi-space-growth-factor=1")
// Two compilers, the first and the last, and not the one between them: its threads leave 20 MB behind. The first 20,000
// requests cost two thirds more for it, and all after them what they did.
setFlagsFromString("--no-maglev")
// Makes a folder for this Node, these flags and this user, or none where they want none (NODE_DISABLE_COMPILE_CACHE).
enableCompileCache()

const { keep, load } = scripts(import.meta.dirname, getCompileCacheDir())
const loaded = load("./command.cjs") as { readonly command: typeof command }
await loaded.command(process.argv.slice(2), { keep })
