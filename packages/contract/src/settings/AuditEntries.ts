import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { idParameter, noSuch } from "./fields.ts"
import { AdminAccess } from "./middleware.ts"
import { AuditEntryQuery } from "./parameters.ts"
import { AuditChain, AuditEntry, AuditEntryPage } from "./wire/AuditEntry.ts"

const list = HttpApiEndpoint.get("list", "/audit-entries", { query: AuditEntryQuery, success: AuditEntryPage })
  .annotateMerge(
    about(
      "auditEntries.list",
      "List audit entries",
      "Lists the audit log: actions in the account, and refused actions, newest first."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/audit-entries/:id", {
  params: { id: idParameter("audit entry", "12") },
  success: AuditEntry,
  error: noSuch("audit entry")
})
  .annotateMerge(about("auditEntries.get", "Get an audit entry", "Returns an entry of the audit log."))
  .middleware(AdminAccess)

const chain = HttpApiEndpoint.get("chain", "/audit-chain", { success: AuditChain })
  .annotateMerge(
    about(
      "auditEntries.chain",
      "Get the state of the audit chain",
      "Returns the last linked entry, and the number of entries that are not linked yet. The call verifies nothing: use `tapedeck audit verify`."
    )
  )
  .middleware(AdminAccess)

export class AuditEntries extends HttpApiGroup.make("audit_entries")
  .add(list, read, chain)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Audit log", description: "Audit log of the account; for admins only." })
  ) {}
