/** `pnpm fences` lists each code block of the documents, with the files that prove it. */
import { repositoryFences } from "./ownRules.ts"
import { countFences } from "./rules/fences.ts"

const { fences } = repositoryFences()
for (const { language, line, page, provedBy } of fences)
  console.log(`${page}:${line} ${language} ${provedBy.join(", ") || "NO PROOF"}`)
console.log(countFences(fences))
