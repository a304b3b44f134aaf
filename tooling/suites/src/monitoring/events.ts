/** A series and its value before and after the event. Histograms are cumulative: their buckets count together. */
export type Event = Readonly<Record<string, readonly [before: number, after: number]>>

const slow = (bucket: string) => `tapedeck_http_request_duration_seconds_bucket{route="/x",method="GET",le="${bucket}"}`

/** The smallest event for which each alert must fire: one request, one attempt, one job. */
export const events: Readonly<Record<string, Event>> = {
  TapedeckDown: { 'up{job="tapedeck"}': [1, 0] },
  TapedeckStoreDown: { tapedeck_store_up: [1, 0] },
  TapedeckStorageFull: { tapedeck_storage_full: [0, 1] },
  TapedeckServerErrors: { 'tapedeck_http_requests_total{route="/x",method="GET",status="5xx"}': [0, 1] },
  TapedeckSlowResponses: { [slow("1")]: [0, 0], [slow("2.5")]: [0, 1], [slow("+Inf")]: [0, 1] },
  TapedeckEventLoopBusy: { 'nodejs_eventloop_lag_p99_seconds{job="tapedeck"}': [0, 0.3] },
  TapedeckConnectionsDropped: { tapedeck_http_connections_dropped_total: [0, 1] },
  TapedeckDeliveriesLate: { tapedeck_deliveries_oldest_due_seconds: [0, 61] },
  TapedeckReceiversUnreachable: { 'tapedeck_delivery_attempts_total{kind="automation",outcome="dns"}': [0, 1] },
  TapedeckWebhooksBlocked: { 'tapedeck_delivery_attempts_total{kind="automation",outcome="blocked"}': [0, 1] },
  TapedeckAttemptsLost: { 'tapedeck_delivery_attempts_total{kind="audit",outcome="lost"}': [0, 1] },
  TapedeckTransactionsEnded: { 'tapedeck_transactions_ended_total{reason="timeout"}': [0, 1] },
  TapedeckPoolExhausted: { tapedeck_database_requests_waiting: [0, 1] },
  TapedeckBucketFailing: { 'tapedeck_s3_request_duration_seconds_count{outcome="failure"}': [0, 1] },
  TapedeckFileRemovalsFailed: { tapedeck_file_removals_failed_total: [0, 1] },
  TapedeckJobsLate: { 'tapedeck_jobs_oldest_due_seconds{kind="mail"}': [0, 301] },
  TapedeckMediaJobsLate: { 'tapedeck_jobs_oldest_due_seconds{kind="process"}': [0, 3_601] },
  TapedeckJobsGivenUp: { 'tapedeck_jobs_ended_total{kind="mail",outcome="given_up"}': [0, 1] },
  TapedeckJobsFailed: { 'tapedeck_jobs_ended_total{kind="capture",outcome="failed"}': [0, 1] },
  TapedeckMailsFailing: { 'tapedeck_mails_total{outcome="failed"}': [0, 1] },
  TapedeckAuditChainLate: { tapedeck_audit_unlinked_seconds: [0, 61] },
  TapedeckSignInsThrottled: { 'tapedeck_sign_ins_failed_total{method="password",reason="throttled"}': [0, 1] }
}
