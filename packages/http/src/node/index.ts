export { consoleAsset, consoleIcon, consolePage, consoleSections } from "./console.ts"
export { oneAtATime } from "./oneAtATime.ts"
export {
  type ClientError,
  type ClientFault,
  clientFault,
  type RawRefusal,
  rawRefusal,
  refuseClient,
  watchAnswers
} from "./rawRefusal.ts"
export { serverOptions } from "./serverOptions.ts"
export { wholeProduct } from "./wholeProduct.ts"
