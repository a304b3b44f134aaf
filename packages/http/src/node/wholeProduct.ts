import { type AddedRoutes, apiDocuments, captureApi, settingsApi } from "../ProductApp.ts"
import type { CoreServices, Endpoint } from "../routes.ts"
import { capturePages } from "./capturePages.ts"
import { consoleIcon } from "./console.ts"

/** For pages that name no icon: browsers ask for this one. */
const icon: Endpoint<never> = { methods: ["GET"], path: "/favicon.ico", operation: null, answer: () => consoleIcon }

/** Routes of the product in addition to v2, v1 and the public pages: its other APIs, their documents, and the pages that record. */
export const wholeProduct = {
  roots: [settingsApi, captureApi],
  endpoints: [...apiDocuments, ...capturePages, icon]
} satisfies AddedRoutes<CoreServices>
