import type { Written } from "../config/Config.ts"
import type { OperatorArguments } from "./commandLine.ts"
import type { OperatorCommand } from "./operatorCommands.ts"

/** Runs an operator command and returns the exit code. Each command is loaded only if it is used. */
export const operate = async (command: OperatorCommand, written: Written, args: OperatorArguments): Promise<number> => {
  switch (command) {
    case "config":
      return (await import("./config.ts")).showConfig(written, args)
    case "backup":
      return (await import("./backup.ts")).backup(written, args)
    case "restore":
      return (await import("./backup.ts")).restore(written, args)
    case "doctor":
      return (await import("./doctor.ts")).doctor(written, args)
    case "doctor deliveries":
      return (await import("./doctor.ts")).doctorDeliveries(written, args)
    case "account create":
      return (await import("./administer.ts")).createAccount(written, args)
    case "account list":
      return (await import("./administer.ts")).listAccounts(written, args)
    case "account set":
      return (await import("./administer.ts")).setAccount(written, args)
    case "admin create":
      return (await import("./administer.ts")).createAdmin(written, args)
    case "admin link":
      return (await import("./administer.ts")).createLink(written, args)
    case "migrate":
      return (await import("./migrate.ts")).migrate(written, args)
  }
}
