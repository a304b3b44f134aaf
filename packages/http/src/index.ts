export { BasePath } from "./BasePath.ts"
export { httpDate } from "./httpDate.ts"
export { type CoreServices, makeProductApp, type ProductApp } from "./ProductApp.ts"
export { RequestLog, type RequestLogEntry } from "./RequestLog.ts"
