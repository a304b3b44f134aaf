import type { Account } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../Caller.ts"
import type { Invalid, Malformed } from "../errors.ts"
import { Store } from "../Store.ts"
import { auditor, changesBetween, isChange, shown } from "./audited.ts"
import { name, object } from "./fields.ts"
import { readInput, requireAnyField, type SettingsInput } from "./input.ts"

const AccountChange = object({ name: name("Label.") }, "What to change of the account.")

/** The caller's account. Whether it has API access is its plan's to say, and can only be read here. */
export class AccountSettings extends Context.Service<
  AccountSettings,
  {
    readonly get: (caller: Caller) => Effect.Effect<Account>
    readonly rename: (caller: Caller, input: SettingsInput) => Effect.Effect<Account, Malformed | Invalid>
  }
>()("@tapedeck/core/AccountSettings") {
  static readonly layer = Layer.effect(
    AccountSettings,
    Effect.gen(function* () {
      const store = yield* Store
      const audit = yield* auditor

      const rename = Effect.fnUntraced(function* (caller: Caller, input: SettingsInput) {
        yield* requireAnyField(AccountChange, input)
        const before = (yield* store.accounts.byId(caller.account.id)) ?? caller.account
        const after: Account = { ...before, ...(yield* readInput(AccountChange, input)) }
        const changes = changesBetween(audited(before), audited(after))
        if (!isChange(changes)) return before
        yield* store.accounts.save(after)
        yield* audit(
          { ...caller, account: after },
          "account.updated",
          { type: "account", id: String(after.id) },
          changes
        )
        return after
      })

      return AccountSettings.of({
        get: (caller) => Effect.succeed(caller.account),
        rename: (caller, input) => store.transaction(rename(caller, input))
      })
    })
  )
}

const audited = ({ name }: Account) => ({ name: shown(name) })
