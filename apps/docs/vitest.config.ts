export { default } from "@tapedeck/tsconfig/vitest.ts"
