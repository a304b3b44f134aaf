/** Operations whose name is not that of their endpoint in the contract, in camel case. */
const renamed = {
  "folders.rename": "folders.update",
  "folders.recordings": "folders.listRecordings",
  "captures.log": "recordings.log",
  "captures.har": "recordings.logHar",
  "captures.importLog": "recordings.importLog",
  "recordings.errors": "recordings.getErrors",
  "recordings.folderDeliveries": "recordings.getFolderDeliveries",
  "recordings.leave": "recordings.removeFromFolder",
  "transcripts.edit": "transcripts.update",
  "automations.deliveries": "automations.listDeliveries",
  "automations.delivery": "automations.getDelivery",
  "auditDestinations.deliveries": "auditDestinations.listDeliveries",
  "auditDestinations.delivery": "auditDestinations.getDelivery",
  "tokens.view": "tokens.get",
  "tokens.rename": "tokens.update",
  "users.picture": "users.getPicture",
  "users.passwordLink": "users.createPasswordLink",
  "profile.picture": "profile.getPicture"
} as const

type CamelCase<Text> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text & string

type Renamed<Name extends string> = Name extends keyof typeof renamed
  ? (typeof renamed)[Name]
  : Name extends `${infer Group}.read`
    ? `${Group}.get`
    : Name

/** The id of the operation that a group's endpoint declares. */
export type OperationId<Group, Endpoint> = Renamed<`${CamelCase<Group>}.${CamelCase<Endpoint>}`>

/** The id of the operation that a group's endpoint declares: `folders.get` of `folders` and `read`. */
export const operationId = (group: string, endpoint: string): string => {
  const name = `${group}.${endpoint}`.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return (renamed as Readonly<Record<string, string>>)[name] ?? name.replace(/\.read$/, ".get")
}
