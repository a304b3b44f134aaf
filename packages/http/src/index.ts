export { consoleAsset, consoleIcon, consolePage, consoleSections } from "./console.ts"
export { type ContractGroup, contractQuery } from "./contractEndpoints.ts"
export { withCors } from "./cors.ts"
export { BasePath, RequestLog, type RequestLogEntry, StrictQueries } from "./host.ts"
export { escapeHtml, htmlResponse } from "./html.ts"
export { oneAtATime } from "./oneAtATime.ts"
export { type HostRoutes, makeProductApp, makeRouteTable, type ProductApp, productRootOf } from "./ProductApp.ts"
export { respond } from "./pipeline.ts"
export { RefusalCounter, RefusalLimit } from "./RefusalLimit.ts"
export {
  type ClientError,
  type ClientFault,
  clientFault,
  type RawRefusal,
  rawRefusal,
  refuseClient,
  watchAnswers
} from "./rawRefusal.ts"
export { type BodyLimit, RequestBody } from "./requestBody.ts"
export { errorResponse, httpDate, serverOptions } from "./responses.ts"
export {
  type AuthenticatedRequest,
  type CoreServices,
  type Endpoint,
  type EndpointRequest,
  type Root,
  type RouteMatch,
  RouteTable,
  routeName,
  routeRequests
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
export { splitTarget } from "./target.ts"
