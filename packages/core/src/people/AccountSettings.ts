import type { Account } from "@tapedeck/domain"
import type { AccountChange, DecodedInput } from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { auditor, changesBetween, isChange } from "../audit/audited.ts"
import type { ApiAccessDisabled, Forbidden, InputInvalid, SessionRequired, Unauthenticated } from "../errors.ts"
import { valueOf } from "../input/decodeInput.ts"
import { accessChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { auditedAccount, changedAccount } from "./accountFields.ts"
import type { Caller } from "./Caller.ts"
import { authorize } from "./permissions.ts"
import { writer } from "./signIn/requireCurrent.ts"

/** A change of the field `api_access` takes more than other changes of the account. */
const settingApiAccess = { id: "account.update", permission: "admin_session" } as const

/** The caller's account. */
export class AccountSettings extends Context.Service<
  AccountSettings,
  {
    readonly get: (caller: Caller) => Effect.Effect<Account>
    /**
     * Absent fields are unchanged. API access can be changed in a session only, because a token would lock itself out (S4).
     * While it is off, sessions keep working and tokens are 403.
     */
    readonly update: (
      caller: Caller,
      input: DecodedInput<AccountChange>
    ) => Effect.Effect<Account, ApiAccessDisabled | Forbidden | SessionRequired | InputInvalid | Unauthenticated>
  }
>()("@tapedeck/core/AccountSettings") {
  static readonly layer = Layer.effect(
    AccountSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("accounts", "changes")
      const log = yield* AuditLog
      const audit = yield* auditor
      const write = yield* writer

      const change = Effect.fnUntraced(function* (caller: Caller, input: DecodedInput<AccountChange>) {
        const before = (yield* store.accounts.byId(caller.account.id)) ?? caller.account
        const after = changedAccount(before, yield* valueOf(input))
        const changes = changesBetween(auditedAccount(before), auditedAccount(after))
        if (!isChange(changes)) return before
        yield* store.accounts.save(after)
        yield* store.changes.publishOnCommit(accessChange)
        yield* audit(
          { ...caller, account: after },
          "account.updated",
          { type: "account", id: String(after.id) },
          changes
        )
        return after
      })

      const update = Effect.fn("AccountSettings.update")(function* (
        caller: Caller,
        input: DecodedInput<AccountChange>
      ) {
        // Authorization runs outside the transaction: the audit entry of a refusal has to be kept.
        if (Object.hasOwn(input.json, "api_access")) {
          yield* Effect.provideService(authorize(caller, settingApiAccess), AuditLog, log)
        }
        return yield* write(caller, change(caller, input))
      })

      return AccountSettings.of({ get: (caller) => Effect.succeed(caller.account), update })
    })
  )
}
