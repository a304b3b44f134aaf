export { consoleAsset, consoleIcon, consolePage, consoleSections } from "./console.ts"
export {
  type ClientError,
  type ClientFault,
  clientFault,
  HttpServer,
  oneAtATime,
  type RawRefusal,
  rawRefusal,
  refuseClient,
  serverOptions,
  watchAnswers
} from "./server.ts"
export { wholeProduct } from "./wholeProduct.ts"
