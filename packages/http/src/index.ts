export { type ContractGroup, contractQuery } from "./contractEndpoints.ts"
export { Host, plainHost, type RequestLogEntry } from "./host.ts"
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
export { errorPage } from "./pages/errorPage.ts"
export { escapeHtml, htmlResponse, isolated } from "./pages/html.ts"
export { withCors } from "./pipeline/cors.ts"
export { respond } from "./pipeline/pipeline.ts"
export { RefusalCounter } from "./pipeline/RefusalCounter.ts"
export { type BodyLimit, RequestBody } from "./pipeline/requestBody.ts"
export {
  BROWSER_COOKIE,
  type Connection,
  ownConnection,
  readCookie,
  SESSION_COOKIE,
  withCookie,
  withSignedIn
} from "./pipeline/signInCookie.ts"
export { pathBelow, splitTarget } from "./pipeline/target.ts"
export { errorResponse, httpDate } from "./responses.ts"
export {
  type AuthenticatedRequest,
  type CoreServices,
  type Endpoint,
  type EndpointRequest,
  type GuardedEndpoint,
  type PublicServices,
  type Root,
  type RouteMatch,
  RouteTable,
  routeName,
  routeRequests
} from "./routes.ts"
