#!/usr/bin/env node
// The command from its sources; `packaged/main.ts` is the one that is published.
import { command } from "./cli/command.ts"

await command(process.argv.slice(2), { keep: () => {} })
