export { default } from "@tapedeck/tsconfig/tsdown.ts"
