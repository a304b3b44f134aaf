import { readFileSync } from "node:fs"
import { doubtAbout } from "./patternProofs.ts"
for (const f of process.argv.slice(2)) for (const m of readFileSync(f,"utf8").matchAll(/(?:[(=:,] *|^ *)\/((?:[^\/\\\n\[*]|\\.|\[(?:[^\]\\]|\\.)*\])(?:[^\/\\\n\[]|\\.|\[(?:[^\]\\]|\\.)*\])*)\/([gimsuyv]*)/gm)) console.log(f.split("/").at(-1), m[0].trim(), doubtAbout(m[1]!, m[2]!))
