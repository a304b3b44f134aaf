export { BasePath } from "./BasePath.ts"
export { CurrentCaller } from "./CurrentCaller.ts"
export { withCors } from "./cors.ts"
export type { ExtraRoute } from "./extraRoutes.ts"
export { escapeHtml, htmlResponse } from "./html.ts"
export { httpDate } from "./httpDate.ts"
export { onFirstUse } from "./onFirstUse.ts"
export { type CoreServices, makeProductApp, makeProductAppWith, type ProductApp } from "./ProductApp.ts"
export { pathOf, versionOf } from "./paths.ts"
export { RefusalCounter, RefusalLimit } from "./RefusalLimit.ts"
export { RequestLog, type RequestLogEntry } from "./RequestLog.ts"
export {
  type ClientError,
  type ClientFault,
  clientFault,
  type RawRefusal,
  rawRefusal,
  refuseClient
} from "./rawRefusal.ts"
export { type BodyLimit, type BodyRefusal, RequestBody, refuseDeclared, withBody } from "./requestBody.ts"
export { Origin } from "./requestOrigin.ts"
export { errorResponse } from "./responses.ts"
export { serverOptions } from "./serverOptions.ts"
export {
  BROWSER_COOKIE,
  type Connection,
  ownConnection,
  readCookie,
  SESSION_COOKIE,
  withCookie,
  withSignedIn
} from "./signInCookie.ts"
