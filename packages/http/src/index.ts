export { type ContractGroup, contractQuery } from "./contractEndpoints.ts"
export { withCors } from "./cors.ts"
export { Host, plainHost, type RequestLogEntry } from "./host.ts"
export { escapeHtml, htmlResponse } from "./html.ts"
export { type FetchHandlerOptions, makeFetchHandler } from "./makeFetchHandler.ts"
export {
  apiDocuments,
  captureApi,
  type HostRoutes,
  makeProductApp,
  makeRouteTable,
  type ProductApp,
  productRootOf,
  settingsApi
} from "./ProductApp.ts"
export { respond } from "./pipeline.ts"
export { RefusalCounter } from "./RefusalCounter.ts"
export { type BodyLimit, RequestBody } from "./requestBody.ts"
export { errorResponse, httpDate } from "./responses.ts"
export {
  type AuthenticatedRequest,
  type CoreServices,
  type Endpoint,
  type EndpointRequest,
  type PublicServices,
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
