/** `pnpm fidelity`: makes docs/fidelity.md of docs/fidelity.json. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ledgerFile, ledgerPage, readLedger } from "./ledger/Ledger.ts"
import { renderLedger } from "./ledger/render.ts"
import { root } from "./project.ts"

const { ledger } = readLedger(readFileSync(join(root, ledgerFile), "utf8"))
writeFileSync(join(root, ledgerPage), renderLedger(ledger))
console.log(`${ledgerPage}: ${ledger.rows.length} rows`)
