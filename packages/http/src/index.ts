export { type ContractGroup, contractQuery } from "./contractEndpoints.ts"
export { withCors } from "./cors.ts"
export { BasePath, RequestLog, type RequestLogEntry } from "./host.ts"
export { escapeHtml, htmlResponse } from "./html.ts"
export { type HostRoutes, makeProductApp, makeRouteTable, type ProductApp, productRootOf } from "./ProductApp.ts"
export { answerAt } from "./pipeline.ts"
export { RefusalCounter, RefusalLimit } from "./RefusalLimit.ts"
export {
  type ClientError,
  type ClientFault,
  clientFault,
  type RawRefusal,
  rawRefusal,
  refuseClient
} from "./rawRefusal.ts"
export { type BodyLimit, RequestBody } from "./requestBody.ts"
export { errorResponse, httpDate, serverOptions } from "./responses.ts"
export {
  type Asked,
  type AskedBy,
  type CoreServices,
  type Endpoint,
  type Place,
  pathIn,
  type Root,
  RouteTable,
  requestAt,
  routeName
} from "./routes.ts"
export {
  BROWSER_COOKIE,
  type Connection,
  ownConnection,
  readCookie,
  SESSION_COOKIE,
  withCookie,
  withSignedIn
} from "./signInCookie.ts"
