/** A recording's columns, each with the way to it in the API's JSON. */
export const columns = {
  uuid: ["uuid"],
  title: ["title"],
  summary: ["summary"],
  description: ["description"],
  created_at: ["metadata", "created_at"],
  updated_at: ["metadata", "updated_at"],
  duration: ["metadata", "duration"],
  impressions_count: ["metadata", "impressions_count"],
  recording_type: ["metadata", "recording_type"],
  recording_source: ["metadata", "recording_source"],
  url: ["metadata", "url"],
  platform: ["metadata", "helpdesk_info", "platform"],
  conversation_id: ["metadata", "helpdesk_info", "conversation_id"],
  ticket_id: ["metadata", "helpdesk_info", "ticket_id"],
  active_ticket_id: ["metadata", "helpdesk_info", "active_ticket_id"],
  helpdesk_user_id: ["metadata", "helpdesk_info", "user_id"],
  operator_id: ["metadata", "helpdesk_info", "operator_id"],
  customer_id: ["metadata", "helpdesk_info", "customer_id"],
  issue_id: ["metadata", "helpdesk_info", "issue_id"],
  object_id: ["metadata", "helpdesk_info", "object_id"],
  vendor: ["technical_details", "vendor"],
  ip_address: ["technical_details", "ip_address"],
  timezone: ["technical_details", "timezone"],
  network_type: ["technical_details", "network_type"],
  isp: ["technical_details", "isp"],
  console_logs: ["console_logs"],
  customer_email: ["customer", "email"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type Column = keyof typeof columns
export const columnNames = Object.keys(columns) as ReadonlyArray<Column>

const integers: ReadonlySet<Column> = new Set<Column>(["duration", "impressions_count"])

/** The best indexes for the list: the filtered columns, then those of the order. */
export const schema = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, token_hash TEXT);
  CREATE UNIQUE INDEX users_token ON users (token_hash);
  CREATE TABLE recordings (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, owner_id INTEGER,
    ${columnNames.map((name) => `${name} ${integers.has(name) ? "INTEGER" : "TEXT"}`).join(", ")}
  );
  CREATE UNIQUE INDEX recordings_uuid ON recordings (uuid);
  CREATE INDEX recordings_account ON recordings (account_id, created_at, id);
  CREATE INDEX recordings_owner ON recordings (account_id, owner_id, created_at, id);
  CREATE TABLE counts (owner_id INTEGER PRIMARY KEY, recordings INTEGER NOT NULL);
`
